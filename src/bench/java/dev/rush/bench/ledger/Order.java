package dev.rush.bench.ledger;

/** An accepted order with the fields that the baselines store. */
public record Order(String id, String user, String lefts, long placedAt, long seq) {
}
