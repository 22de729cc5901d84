/**
 * An order's life after it was stored, on the journal: paying, expiring, returning, giving back,
 * and what clients are told of it. It takes the place of the classes of the same names in
 * {@code dev.rush.order}.
 */
package dev.rush.order.life;
