/**
 * {@code ./mvnw -Pgrowth}: what each statement costs where few orders were ever stored and where
 * many were.
 */
package dev.rush.bench.growth;
