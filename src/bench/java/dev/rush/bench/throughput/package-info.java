/**
 * Compares the throughput of the service with its own no-op endpoint and with its peers, on one
 * machine in interleaved rounds.
 */
package dev.rush.bench.throughput;
