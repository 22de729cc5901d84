/** Lets go of what is over: first in Redis, and only where nothing of it is open. */
package dev.rush.reconciliation.retention;
