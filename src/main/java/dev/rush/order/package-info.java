/**
 * The life of a stored order: confirmation, expiry, returns, credits, and how clients learn of
 * them.
 */
package dev.rush.order;
