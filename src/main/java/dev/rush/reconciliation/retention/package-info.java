/** Removes sales and rains that are over: first from Redis, and only if nothing of them is open. */
package dev.rush.reconciliation.retention;
