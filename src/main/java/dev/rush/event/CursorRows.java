package dev.rush.event;

import dev.rush.ledger.Position;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;

/** Finds the row that a cursor names, which may have been archived or lost. */
final class CursorRows {

    private static final Sql STEP = Sql.named("event-step-exists", """
            SELECT 1 FROM steps s WHERE s.month = ANY (?) AND s.epoch = ? AND s.xact = ?::xid8
                AND s.place = ?
            UNION ALL SELECT 1 FROM audit
            WHERE epoch = ? AND xact = ?::xid8 AND place = ?""");
    private static final Sql BLOCK = Sql.named("event-block-exists", """
            SELECT 1 FROM blocks b WHERE b.month = ANY (?) AND b.epoch = ? AND b.xact = ?::xid8
                AND (? OR b.places_before <= ? AND b.places_before + b.orders >= ?)""");

    private CursorRows() {
    }

    /**
     * Whether the ledger still has the row at a position.
     *
     * @param months whose events are read, see {@link EventReader}
     */
    static boolean exist(Connection connection, SqlArray months, Position at)
            throws SQLException {
        String xact = Long.toString(at.xact());
        if (at.place() <= EventReader.AFTER_ITEMS) {
            // AFTER_ITEMS follows all orders and grabs, so any block of the transaction proves it.
            return BLOCK.exists(connection, months, at.epoch(), xact,
                    at.place() == EventReader.AFTER_ITEMS, at.place(), at.place());
        }
        long place = at.place() - EventReader.AFTER_ITEMS;
        return STEP.exists(connection, months, at.epoch(), xact, place, at.epoch(), xact, place);
    }
}
