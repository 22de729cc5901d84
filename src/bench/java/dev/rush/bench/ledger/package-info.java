/**
 * {@code ./mvnw -Pledger}: how fast orders get from the stream to PostgreSQL, beside a plain
 * batched insert and a plain COPY of the same rows. {@code ./mvnw -Pledger package
 * exec:exec@books}: what the checks of the books cost.
 */
package dev.rush.bench.ledger;
