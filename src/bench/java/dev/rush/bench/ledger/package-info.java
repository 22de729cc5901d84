/**
 * {@code ./mvnw -Pledger}: measures how fast orders get from the stream to PostgreSQL.
 * {@code ./mvnw -Pledger package exec:exec@books} measures the cost of book checks, and
 * {@code exec:exec@events} the rate of events.
 */
package dev.rush.bench.ledger;
