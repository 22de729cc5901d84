/**
 * Reconciliation: whether Redis and the ledger agree, by how much and on which side they do not.
 * The ledger's sums are held against Redis's counters, and, less often, against the rows that they
 * sum up.
 */
package dev.rush.reconciliation.report;
