package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A transaction's changes of the sums: units per sale, partition and item, by status. They are
 * written once, in a fixed order, as the last rows that other transactions may wait for.
 */
public final class Sums {

    /** The writer's slot, which only the holder of the partition's lease writes. */
    public static final int WRITER = 0;
    /** One of the slots for steps; transactions of different sessions rarely collide there. */
    public static final int STEPS = -1;

    private static final Sql ADD = Sql.named("add-sums", """
            INSERT INTO sums AS s (sale, partition, sku, slot, stored, reserved, confirmed,
                expired, returned, credited, rejected, settled)
            SELECT sale, partition, sku, CASE WHEN ? THEN 0 ELSE 1 + pg_backend_pid() % 8 END,
                stored, reserved, confirmed, expired, returned, credited, rejected, settled
            FROM unnest(?::text[], ?::integer[], ?::text[], ?::bigint[], ?::bigint[],
                ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
                AS added (sale, partition, sku, stored, reserved, confirmed, expired, returned,
                    credited, rejected, settled)
            ORDER BY 1, 2, 3
            ON CONFLICT (sale, partition, sku, slot) DO UPDATE SET
                stored = s.stored + excluded.stored,
                reserved = s.reserved + excluded.reserved,
                confirmed = s.confirmed + excluded.confirmed,
                expired = s.expired + excluded.expired,
                returned = s.returned + excluded.returned,
                credited = s.credited + excluded.credited,
                rejected = s.rejected + excluded.rejected,
                settled = s.settled + excluded.settled""");

    private final Map<Key, long[]> changes = new TreeMap<>();

    /** The counted units, in the order of the table's columns. */
    public enum Column {
        /** Total ever, without rejected ones. */
        STORED,
        /** Now. */
        RESERVED,
        /** Now. */
        CONFIRMED,
        /** Ever, credited or not. */
        EXPIRED,
        /** Ever, credited or not. */
        RETURNED,
        /** Credited to Redis. */
        CREDITED,
        /** Total ever rejected by a guard. */
        REJECTED,
        /** Rejected ones whose units in Redis are free again. */
        SETTLED;

        /** The column in which the units of an order with this status count. */
        static Column of(OrderStatus status) {
            return valueOf(status.name());
        }
    }

    private record Key(String sale, int partition, String sku) implements Comparable<Key> {

        private static final Comparator<Key> ORDER = Comparator.comparing(Key::sale)
                .thenComparing(Key::partition).thenComparing(Key::sku);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    /** Adds units, which may be negative. */
    public Sums add(String sale, int partition, String sku, Column column, long units) {
        changes.computeIfAbsent(new Key(sale, partition, sku),
                key -> new long[Column.values().length])[column.ordinal()] += units;
        return this;
    }

    /** Adds the units of an order of a partition. */
    public Sums add(String sale, int partition, Map<String, Long> quantities, Column column) {
        quantities.forEach((sku, units) -> add(sale, partition, sku, column, units));
        return this;
    }

    /** Subtracts the units of an order of a partition from a column. */
    public Sums remove(String sale, int partition, Map<String, Long> quantities, Column column) {
        quantities.forEach((sku, units) -> add(sale, partition, sku, column, -units));
        return this;
    }

    /**
     * Writes them, in the caller's transaction.
     *
     * @param slot {@link #WRITER} or {@link #STEPS}
     */
    public void write(Connection connection, int slot) throws SQLException {
        if (!changes.isEmpty()) {
            Sql.updateAll(connection, List.of(written(slot)));
        }
    }

    /**
     * The call that writes them, to be sent with the caller's other statements; requires that there
     * are changes.
     */
    public Sql.Call written(int slot) {
        Collection<Key> keys = changes.keySet();
        Object[] parameters = new Object[4 + Column.values().length];
        parameters[0] = slot == WRITER;
        parameters[1] = new SqlArray("text", keys.stream().map(Key::sale).toArray());
        parameters[2] = SqlArray.integers(keys.stream().map(Key::partition).toList());
        parameters[3] = new SqlArray("text", keys.stream().map(Key::sku).toArray());
        Arrays.stream(Column.values()).forEach(column -> parameters[4 + column.ordinal()] =
                SqlArray.longs(changes.values(), units -> units[column.ordinal()]));
        return ADD.with(parameters);
    }
}
