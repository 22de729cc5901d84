package dev.rush.reconciliation.report;

/** An item in one partition. */
record Place(int partition, String sku) {
}
