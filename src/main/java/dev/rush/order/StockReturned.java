package dev.rush.order;

/**
 * Units of a sale are back in Redis. Fired on this pod, so that what it holds of the sale is
 * forgotten at once; other pods' copies are too young to matter.
 */
public record StockReturned(String sale) {
}
