/** Drives many connections with one thread, so that measuring costs little CPU. */
package dev.rush.bench.wire;
