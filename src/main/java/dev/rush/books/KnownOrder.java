package dev.rush.books;

import dev.rush.order.BuyerRecord;
import dev.rush.order.Credits;
import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** An order that the ledger or the dead letters have, with all that Redis has to know of it. */
record KnownOrder(UUID order, String user, String key, String digest, String lines, String lefts,
        String status, boolean creditDone, long placedAt, long payBy, int partition) {

    private static final String COLUMNS = """
            SELECT id, user_id, key, digest, lines, lefts, status,
                COALESCE(credit = 'done', false), placed_at_ms, pay_by_ms, partition
            FROM orders WHERE\s""";
    private static final Sql READ = Sql.named("known-orders-of-sale", COLUMNS + """
            sale = ? AND (? < 0 OR partition = ? AND seq > ?) AND id > ?
            ORDER BY id LIMIT ?""");
    private static final Sql ENDED = Sql.named("known-orders-ended", COLUMNS + """
            id = ANY (?::uuid[]) AND status IN ('expired', 'returned')""");
    private static final Sql DEAD = Sql.named("dead-orders-of-sale", """
            SELECT d.order_id::uuid, fields ->> 'user', fields ->> 'key', fields ->> 'digest',
                fields ->> 'lines', fields ->> 'lefts', 'dead', false,
                (fields ->> 'at')::bigint, (fields ->> 'pay_by')::bigint, d.partition
            FROM dead_letters d WHERE sale = ? AND state = 'waiting' AND kind = 'purchase'
                AND order_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                AND fields ->> 'at' ~ '^[0-9]{1,16}$' AND fields ->> 'pay_by' ~ '^[0-9]{1,16}$'
                AND fields ->> 'user' ~ '^[!-~]{1,128}$' AND fields ->> 'key' ~ '^[!-~]{1,128}$'
                AND fields ->> 'digest' ~ '^[!-~]+$' AND fields ->> 'lefts' ~ '^[0-9,]+$'
                AND fields ->> 'lines' ~ '^[A-Za-z0-9._-]+:[0-9]+(,[A-Za-z0-9._-]+:[0-9]+)*$'
                AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.id::text = d.order_id)""");
    /** Before every order. */
    static final UUID FIRST = new UUID(0, 0);

    /**
     * Orders of a sale by id, in parts.
     *
     * @param partition only those of this partition; below zero: all
     * @param seq       of those, only the ones whose sequence number is above this
     * @param after     only those after this order
     */
    static List<KnownOrder> read(Connection connection, String sale, int partition, long seq,
            UUID after, int most) throws SQLException {
        return READ.list(connection, KnownOrder::of, sale, partition, partition, seq, after,
                most);
    }

    /** Those of these orders that have ended, as they are now. */
    static List<KnownOrder> ended(Connection connection, List<KnownOrder> orders)
            throws SQLException {
        return ENDED.list(connection, KnownOrder::of,
                SqlArray.ids(orders.stream().map(KnownOrder::order).toList()));
    }

    /** Orders of a sale that are dead letters, and whole enough to be orders. */
    static List<KnownOrder> dead(Connection connection, String sale) throws SQLException {
        return DEAD.list(connection, KnownOrder::of, sale);
    }

    private static KnownOrder of(ResultSet row) throws SQLException {
        return new KnownOrder(row.getObject(1, UUID.class), row.getString(2), row.getString(3),
                row.getString(4), row.getString(5), row.getString(6), row.getString(7),
                row.getBoolean(8), row.getLong(9), row.getLong(10), row.getInt(11));
    }

    boolean isEnded() {
        return status.equals("expired") || status.equals("returned");
    }

    /** Rejected, and its units were given to another order by a repair. */
    boolean isSettled() {
        return status.equals("rejected") && creditDone;
    }

    /** How Redis marks it: by how its units were given back, or a. */
    String state() {
        return status.equals("expired") ? "e" : status.equals("returned") ? "c" : "a";
    }

    /** The client's key, or empty where its id is its key. */
    String clientKey() {
        return key.equals(order.toString()) ? "" : key;
    }

    /** Its line in its user's record. The ledger has it, so it waits nowhere. */
    String line(String state) {
        return new BuyerRecord.Line(state, order.toString(), clientKey(), digest, lines, lefts,
                placedAt, payBy, 0).text();
    }

    Credits.Due due(String sale) {
        return new Credits.Due(order, sale, user, partition,
                status.equals("expired"));
    }
}
