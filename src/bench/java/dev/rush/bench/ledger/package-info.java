/**
 * {@code ./mvnw -Pledger}: how fast orders get from the stream to PostgreSQL, beside PostgreSQL's
 * own batched insert of the same rows. {@code ./mvnw -Pledger package exec:exec@books}: what the
 * checks of the books cost.
 */
package dev.rush.bench.ledger;
