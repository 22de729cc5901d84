/**
 * {@code ./mvnw -Playout}: what a purchase and an order cost Redis in the present layout and in
 * the former one, by processor time and bytes.
 */
package dev.rush.bench.layout;
