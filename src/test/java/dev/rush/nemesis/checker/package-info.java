/** Checks each invariant against the clients' history and the final contents of both stores. */
package dev.rush.nemesis.checker;
