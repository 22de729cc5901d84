/**
 * The life of a stored order: confirmation, expiry, returns, credits, and how clients read or await
 * them.
 */
@NullMarked
package dev.rush.order;

import org.jspecify.annotations.NullMarked;
