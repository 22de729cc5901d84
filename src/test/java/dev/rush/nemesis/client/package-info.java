/** Buyers, players and an operator, and the history of their calls and answers. */
package dev.rush.nemesis.client;
