/**
 * {@code ./mvnw -Playout}: compares the CPU time of a purchase and the bytes of an order in Redis
 * in the current and the former layout.
 */
package dev.rush.bench.layout;
