/**
 * {@code ./mvnw -Pledger}: how fast orders get from the stream to PostgreSQL, beside PostgreSQL's
 * own batched insert of the same rows.
 */
package dev.rush.bench.ledger;
