/**
 * Throughput of the service against its own ceiling and its peers, all on one machine, in rounds
 * that take turns.
 */
package dev.rush.bench.throughput;
