/**
 * Reconciliation: whether Redis and the ledger agree, and if not, by how much and in which
 * direction. The ledger's sums are compared with Redis's counters, and, less often, with the rows
 * that they sum up.
 */
@NullMarked
package dev.rush.reconciliation.report;

import org.jspecify.annotations.NullMarked;
