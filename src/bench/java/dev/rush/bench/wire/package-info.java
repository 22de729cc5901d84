/** Many connections driven by one thread, so that measuring costs little of what is measured. */
package dev.rush.bench.wire;
