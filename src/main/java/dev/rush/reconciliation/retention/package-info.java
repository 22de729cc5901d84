/** Removes sales and rains that are over: first from Redis, and only if nothing of them is open. */
@NullMarked
package dev.rush.reconciliation.retention;

import org.jspecify.annotations.NullMarked;
