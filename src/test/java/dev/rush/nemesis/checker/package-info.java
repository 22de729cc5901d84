/** Compares the history of the clients with the final state of both stores, by invariant. */
package dev.rush.nemesis.checker;
