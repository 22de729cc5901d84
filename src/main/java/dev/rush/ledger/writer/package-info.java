/**
 * Moves accepted orders and grabs from Redis's streams into the ledger: at least once out of the
 * streams, exactly once into the tables, and never beyond a total or a limit.
 */
package dev.rush.ledger.writer;
