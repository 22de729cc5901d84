package dev.rush.reconciliation.report;

import dev.rush.ledger.Cursor;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.Sums.Column;
import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongConsumer;

/**
 * Adds up the rows of a sale or rain and compares them with its sums, in the caller's transaction,
 * from one snapshot. Each statement reads a page, so that none takes long.
 *
 * @param sums the sums maintained by the transactions that stored and changed orders
 * @param rows the sums of the rows; for a rain, envelopes are its items
 */
record Recount(Map<Place, Units> sums, Map<Place, Units> rows) {

    private static final int PAGE = 5_000;
    private static final String BY_INDEX = "SET LOCAL enable_bitmapscan = off";
    private static final Sql GRABS = Sql.named("grabs-added-up", BY_INDEX, """
            SELECT count(*), COALESCE(sum(amount), 0), COALESCE(max(number), 0)
            FROM (SELECT amount, number FROM grabs
                WHERE month = ? AND rain = ? AND number > ? ORDER BY number LIMIT ?) AS page""");
    private static final Sql REJECTED_GRABS = Sql.named("rejected-grabs-added-up", BY_INDEX, """
            SELECT amount, user_id, id FROM rejected_grabs
            WHERE month = ? AND rain = ? AND user_id >= ? AND (user_id, id) > (?, ?)
            ORDER BY user_id, id LIMIT ?""");
    private static final Sql RAIN = Sql.named("sums-of-rain", """
            SELECT partition, granted, granted_amount, rejected, rejected_amount FROM rains
            WHERE rain = ?""");
    private static final String ENVELOPES = "envelopes";
    private static final String AMOUNT = "amount";

    /**
     * Recounts a sale.
     *
     * @param pause called after each page with the nanoseconds that it took
     */
    static Recount ofSale(Connection connection, String sale, int month, LongConsumer pause)
            throws SQLException {
        Map<Place, Units> rows = new HashMap<>();
        for (boolean refused : new boolean[] {false, true}) {
            Cursor after = Cursor.START;
            List<Order> page;
            do {
                long from = System.nanoTime();
                page = refused ? OrderRows.rejectedPage(connection, month, sale, after, PAGE)
                        : OrderRows.page(connection, month, sale, after, PAGE);
                Set<UUID> freed = FreedOrders.of(connection, month, page);
                page.forEach(order -> add(rows, order, freed.contains(order.id())));
                after = page.isEmpty() ? after : new Cursor(page.get(page.size() - 1).user(),
                        page.get(page.size() - 1).id());
                pause.accept(System.nanoTime() - from);
            } while (page.size() == PAGE);
        }
        return new Recount(BookSums.sums(connection, List.of(sale))
                .getOrDefault(sale, Map.of()), rows);
    }

    private static void add(Map<Place, Units> rows, Order order, boolean freed) {
        boolean isRejected = order.status() == OrderStatus.REJECTED;
        order.quantities().forEach((sku, units) -> rows.merge(new Place(order.partition(), sku),
                Units.NONE.plus(Column.valueOf(order.status().name()), units)
                        .plus(Column.STORED, isRejected ? 0 : units)
                        .plus(isRejected ? Column.SETTLED : Column.CREDITED, freed ? units : 0),
                Units::plus));
    }

    /** As {@link #ofSale}, for a rain, whose granted envelopes count as confirmed. */
    static Recount ofRain(Connection connection, String rain, int month, LongConsumer pause)
            throws SQLException {
        Map<Place, Units> sums = sumsOfRain(connection, rain);
        int partition = sums.keySet().iterator().next().partition();
        long[] granted = granted(connection, rain, month, pause);
        long[] rejected = rejected(connection, rain, month, pause);
        Map<Place, Units> rows = new HashMap<>();
        put(rows, partition, ENVELOPES, granted[0], rejected[0]);
        put(rows, partition, AMOUNT, granted[1], rejected[1]);
        return new Recount(sums, rows);
    }

    static Map<Place, Units> sumsOfRain(Connection connection, String rain)
            throws SQLException {
        Map<Place, Units> sums = new HashMap<>();
        RAIN.each(connection, row -> {
            put(sums, row.getInt(1), ENVELOPES, row.getLong(2), row.getLong(4));
            put(sums, row.getInt(1), AMOUNT, row.getLong(3), row.getLong(5));
        }, rain);
        return sums;
    }

    private static void put(Map<Place, Units> units, int partition, String sku, long granted,
            long rejected) {
        units.put(new Place(partition, sku), Units.NONE.plus(Column.STORED, granted)
                .plus(Column.CONFIRMED, granted).plus(Column.REJECTED, rejected));
    }

    /** Envelopes and their amounts. */
    private static long[] granted(Connection connection, String rain, int month,
            LongConsumer pause) throws SQLException {
        long[] all = new long[2];
        long[] page = {PAGE, 0, 0};
        while (page[0] == PAGE) {
            long from = System.nanoTime();
            page = GRABS.one(connection, row -> new long[] {row.getLong(1), row.getLong(2),
                row.getLong(3)}, month, rain, page[2], PAGE);
            all[0] += page[0];
            all[1] += page[1];
            pause.accept(System.nanoTime() - from);
        }
        return all;
    }

    private static long[] rejected(Connection connection, String rain, int month,
            LongConsumer pause) throws SQLException {
        long[] all = new long[2];
        Cursor after = Cursor.START;
        int read;
        do {
            long from = System.nanoTime();
            List<Cursor> page = REJECTED_GRABS.list(connection, row -> {
                all[1] += row.getLong(1);
                return new Cursor(row.getString(2), row.getObject(3, UUID.class));
            }, month, rain, after.user(), after.user(), after.id(), PAGE);
            read = page.size();
            all[0] += read;
            after = page.isEmpty() ? after : page.get(read - 1);
            pause.accept(System.nanoTime() - from);
        } while (read == PAGE);
        return all;
    }

    /** Units by which the sums differ from the rows. */
    long drift() {
        Set<Place> places = new HashSet<>(sums.keySet());
        places.addAll(rows.keySet());
        return places.stream().mapToLong(place -> sums.getOrDefault(place, Units.NONE)
                .difference(rows.getOrDefault(place, Units.NONE))).sum();
    }

    /** All units that were ever stored. */
    long stored() {
        return rows.values().stream().mapToLong(units -> units.of(Column.STORED)).sum();
    }
}
