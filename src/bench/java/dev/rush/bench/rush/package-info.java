/** The load command: a real rush on a running service. */
package dev.rush.bench.rush;
