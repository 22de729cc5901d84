/** Buyers, players and an operator, and the history of all that they asked and were answered. */
package dev.rush.nemesis.client;
