package dev.rush.order;

/**
 * Units of a sale are back in Redis. Fired on this pod, so that its caches of the sale are
 * invalidated at once; other pods' caches expire soon enough.
 */
public record StockReturned(String sale) {
}
