package dev.rush.event;

import dev.rush.ledger.Position;
import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** How far each sink was fed from the journal, read and moved in the caller's transaction. */
final class SinkRows {

    static final String KAFKA = "kafka";
    private static final Sql FIND = Sql.named("sink",
            "SELECT epoch, xact, place FROM sinks WHERE sink = ?");
    private static final Sql ADD = Sql.named("insert-sink", """
            INSERT INTO sinks (sink, epoch, xact, place) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING""");
    /** Updates no row if another pod has moved the position meanwhile. */
    private static final Sql MOVE = Sql.named("move-sink", """
            UPDATE sinks SET epoch = ?, xact = ?, place = ?
            WHERE sink = ? AND epoch = ? AND xact = ? AND place = ?""");

    private SinkRows() {
    }

    /** The position of a sink; null if it has none yet. */
    static @Nullable Position find(Connection connection, String sink) throws SQLException {
        return FIND.first(connection, row ->
                new Position(row.getInt(1), row.getLong(2), row.getLong(3)), sink);
    }

    /**
     * Moves the position of a sink.
     *
     * @param from the previous position, null as in {@link #find}
     * @return whether no other pod has moved it meanwhile
     */
    static boolean move(Connection connection, String sink, @Nullable Position from, Position to)
            throws SQLException {
        return from == null
                ? ADD.update(connection, sink, to.epoch(), to.xact(), to.place()) == 1
                : MOVE.update(connection, to.epoch(), to.xact(), to.place(), sink, from.epoch(),
                        from.xact(), from.place()) == 1;
    }
}
