/** The load command, which sends a rush to a running service. */
package dev.rush.bench.rush;
