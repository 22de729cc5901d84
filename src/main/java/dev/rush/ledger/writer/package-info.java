/**
 * Moves accepted orders and grabs from Redis's streams into the ledger: delivered at least once
 * from the streams, stored exactly once in the tables, and never beyond a total or a limit.
 */
@NullMarked
package dev.rush.ledger.writer;

import org.jspecify.annotations.NullMarked;
