/**
 * {@code ./mvnw -Playout}: what a purchase and an order cost Redis in this layout, beside the
 * layout before it, by processor time and bytes.
 */
package dev.rush.bench.layout;
