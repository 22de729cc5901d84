/**
 * The life of a stored order: confirmation, expiry, returns, credits, and how clients learn of
 * them.
 */
@NullMarked
package dev.rush.order;

import org.jspecify.annotations.NullMarked;
