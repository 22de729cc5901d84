package dev.rush.bench.ledger;

/** An accepted order, as the plain insert stores it too. */
public record Order(String id, String user, String lefts, long placedAt, long seq) {
}
