/**
 * An order's life after it was stored: paying, expiring, returning, giving back, and what clients
 * are told of it.
 */
package dev.rush.order;
