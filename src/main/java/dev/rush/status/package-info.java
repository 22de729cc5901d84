/** The status of each pod, its Redis and its ledger, for operators. */
package dev.rush.status;
