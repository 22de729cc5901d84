/**
 * {@code ./mvnw -Pgrowth}: compares the cost of each statement in a small and a large history.
 */
package dev.rush.bench.growth;
