package dev.rush.reconciliation.report;

import dev.rush.ledger.Lines;
import dev.rush.ledger.Sums.Column;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ledger's side of the books of many sales at once, from the sums. So the cost depends on
 * the number of items, of orders accepted since Redis was read, and of failed orders, but not on
 * how many orders were ever stored.
 */
final class BookSums {

    /** Maximum number of later orders of a partition; beyond it, no drift is reported. */
    static final int AFTER_MAX = 10_000;

    /** If a number is not a constant, the planner estimates a third of all rows above it. */
    static final String BY_INDEX = "SET LOCAL enable_sort = off";
    private static final Sql SALES = Sql.named("sales-in-books", """
            SELECT s.sale, s.state, s.month, (SELECT COALESCE(sum(l.lost), 0) FROM losses l
                WHERE l.partition = ANY (s.partitions) AND l.noticed_at >= s.prepared_at)
            FROM unnest(?::text[]) AS wanted (sale)
            JOIN LATERAL (SELECT * FROM sales s WHERE s.sale = wanted.sale LIMIT 1) s ON true""");
    /** OFFSET keeps the planner from joining it with the items of all sales ever. */
    private static final Sql ITEMS = Sql.named("items-of-sales", """
            SELECT i.sale, i.sku, i.total, i.sold FROM unnest(?::text[]) AS wanted (sale)
            JOIN LATERAL (SELECT * FROM items i WHERE i.sale = wanted.sale OFFSET 0) i ON true
            ORDER BY 1, 2""");
    private static final Sql SUMS = Sql.named("sums-of-sales", """
            SELECT wanted.sale, s.* FROM unnest(?::text[]) AS wanted (sale)
            JOIN LATERAL (SELECT partition, sku, sum(stored), sum(reserved), sum(confirmed),
                    sum(expired), sum(returned), sum(credited), sum(rejected), sum(settled)
                FROM sums s WHERE s.sale = wanted.sale GROUP BY partition, sku) s ON true""");
    /**
     * For all sales of a partition, because for one the planner reads all of its orders. The time
     * is compared here, because for a Redis that lost its numbers all orders are above the current
     * one. The steps of a month's orders are read in one scan, because their ids begin with the
     * time and so are neighbours in the index. FULL keeps the planner from a nested loop.
     */
    private static final Sql ORDERS_AFTER = Sql.named("orders-after", BY_INDEX, """
            WITH later AS MATERIALIZED (SELECT o.*
                FROM unnest(?::integer[], ?::bigint[], ?::bigint[]) AS redis (partition, seq, ms)
                JOIN LATERAL (SELECT o.id, o.month, o.sale, o.partition, o.seq, o.placed_at_ms,
                        o.lines, o.pay_by_ms
                    FROM orders o WHERE o.month = ANY (?) AND o.partition = redis.partition
                        AND o.seq > redis.seq AND o.placed_at_ms >= redis.ms
                    ORDER BY o.seq LIMIT ?) o ON true),
            changed AS (SELECT c.*
                FROM (SELECT month, array_agg(id) AS ids FROM later GROUP BY month) m
                JOIN LATERAL (SELECT DISTINCT ON (s.order_id) s.order_id, s.kind FROM steps s
                    WHERE s.month = ANY (?) AND s.month = m.month AND s.order_id = ANY (m.ids)
                        AND s.kind NOT IN ('credited', 'settled')
                    ORDER BY s.order_id, s.step DESC) c ON true)
            SELECT o.sale, o.partition, o.seq, o.placed_at_ms, o.lines, COALESCE(c.kind,
                CASE WHEN o.pay_by_ms > 0 THEN 'reserved' ELSE 'confirmed' END)
            FROM later o FULL JOIN changed c ON c.order_id = o.id""");
    private static final Sql REJECTED_AFTER = Sql.named("rejected-after", BY_INDEX, """
            SELECT r.sale, r.partition, r.seq, r.placed_at_ms, r.lines, 'rejected'
            FROM unnest(?::integer[], ?::bigint[], ?::bigint[]) AS redis (partition, seq, ms)
            JOIN LATERAL (SELECT * FROM rejected r WHERE r.month = ANY (?)
                AND r.partition = redis.partition AND r.seq > redis.seq
                AND r.placed_at_ms >= redis.ms ORDER BY r.seq LIMIT ?) r ON true""");
    private static final Sql FAILED = Sql.named("failed-of-sales", """
            SELECT r.subject, r.partition, r.seq, r.at_ms, r.fields ->> 'lines', r.order_id
            FROM unnest(?::text[]) AS wanted (sale)
            JOIN LATERAL (SELECT * FROM retries r WHERE r.subject = wanted.sale
                AND r.kind = 'purchase' AND r.state <> 'replayed') r ON true""");

    private BookSums() {
    }

    /**
     * A shard of a sale as read from Redis.
     *
     * @param seq     the highest number then; {@link #NONE_AFTER} if it can accept nothing
     * @param redisMs when it was read, by Redis's clock
     * @param waiting order → lines, of the stream up to then, except those that the ledger has by
     *                now
     */
    record Shard(int partition, long seq, long redisMs, Map<String, String> waiting) {

        /** Above all numbers, for a shard that Redis has lost and that accepts nothing. */
        static final long NONE_AFTER = Long.MAX_VALUE;

        /**
         * Whether Redis accepted an order later. Numbers are given out again after a loss, and
         * times are not exact, so both must be later.
         */
        private boolean isAfter(long number, long atMs) {
            return number > seq && atMs >= redisMs;
        }
    }

    /** The sums of sales, by sale and place. */
    static Map<String, Map<Place, Units>> sums(Connection connection, Collection<String> sales)
            throws SQLException {
        Map<String, Map<Place, Units>> sums = new HashMap<>();
        sales.forEach(sale -> sums.put(sale, new HashMap<>()));
        SUMS.each(connection, row -> of(sums, row.getString(1)).put(
                new Place(row.getInt(2), row.getString(3)), Units.read(row, 4)),
                SqlArray.texts(sales));
        return sums;
    }

    /**
     * The current data of sales in the ledger, by sale, without unknown ones. It is read in the
     * caller's transaction, from one snapshot.
     *
     * @param redis  the shards of each sale as read from Redis
     * @param months those in which the ledger may have orders of these partitions
     */
    static Map<String, SaleSums> read(Connection connection, Map<String, List<Shard>> redis,
            Collection<Integer> months) throws SQLException {
        Map<String, SaleSums> sales = new LinkedHashMap<>();
        SALES.each(connection, row -> sales.put(row.getString(1), new SaleSums(row.getString(2),
                row.getInt(3), row.getLong(4), new TreeMap<>(), new HashMap<>(),
                new HashMap<>(), new HashMap<>(), new HashMap<>(), false)),
                SqlArray.texts(redis.keySet()));
        ITEMS.each(connection, row -> of(sales, row.getString(1)).items().put(row.getString(2),
                new SaleSums.Item(row.getLong(3), row.getLong(4))),
                SqlArray.texts(sales.keySet()));
        sums(connection, sales.keySet()).forEach((sale, sums) ->
                of(sales, sale).sums().putAll(sums));
        Set<Integer> full = readAfter(connection, redis, sales, months);
        readElsewhere(connection, redis, sales);
        sales.replaceAll((sale, known) -> of(redis, sale).stream()
                .noneMatch(shard -> full.contains(shard.partition)) ? known
                : new SaleSums(known.state(), known.month(), known.lost(), known.items(),
                        known.sums(), known.after(), known.failed(), known.waiting(), true));
        return sales;
    }

    /** Returns the partitions with more orders than can be read. */
    private static Set<Integer> readAfter(Connection connection,
            Map<String, List<Shard>> redis, Map<String, SaleSums> sales,
            Collection<Integer> months) throws SQLException {
        Map<Integer, Long> from = new TreeMap<>();
        Map<Integer, Long> since = new TreeMap<>();
        redis.values().forEach(shards -> shards.forEach(shard -> {
            from.merge(shard.partition, shard.seq, Math::min);
            since.merge(shard.partition, shard.redisMs, Math::min);
        }));
        SqlArray all = SqlArray.integers(months);
        SqlArray partitions = SqlArray.integers(from.keySet());
        SqlArray numbers = SqlArray.longs(from.values(), seq -> seq);
        SqlArray times = SqlArray.longs(since.values(), ms -> ms);
        Map<Integer, Integer> read = new HashMap<>();
        Sql.RowReader reader = row -> {
            int partition = row.getInt(2);
            read.merge(partition, 1, Integer::sum);
            String sale = row.getString(1);
            Shard shard = shard(redis.getOrDefault(sale, List.of()), partition);
            if (shard != null && shard.isAfter(row.getLong(3), row.getLong(4))
                    && sales.containsKey(sale)) {
                add(sales.get(sale).after(), partition, row.getString(5), row.getString(6));
            }
        };
        ORDERS_AFTER.each(connection, reader, partitions, numbers, times, all, AFTER_MAX, all);
        Set<Integer> full = full(read);
        read.clear();
        REJECTED_AFTER.each(connection, reader, partitions, numbers, times, all, AFTER_MAX);
        full.addAll(full(read));
        return full;
    }

    private static Set<Integer> full(Map<Integer, Integer> read) {
        Set<Integer> full = new HashSet<>();
        read.forEach((partition, orders) -> {
            if (orders >= AFTER_MAX) {
                full.add(partition);
            }
        });
        return full;
    }

    /** The entry of a sale; every sale that is read has one. */
    private static <T> T of(Map<String, T> all, String sale) {
        return Objects.requireNonNull(all.get(sale));
    }

    private static @Nullable Shard shard(List<Shard> shards, int partition) {
        return shards.stream().filter(shard -> shard.partition == partition)
                .findFirst().orElse(null);
    }

    private static void add(Map<Place, Units> after, int partition, String lines,
            String status) {
        Column column = Column.valueOf(status.toUpperCase(Locale.ROOT));
        Lines.quantities(lines).forEach((sku, units) -> after.merge(new Place(partition, sku),
                Units.NONE.plus(column, units)
                        .plus(Column.STORED, column == Column.REJECTED ? 0 : units),
                Units::plus));
    }

    private record Failed(String sale, int partition, String order, String lines) {
    }

    /**
     * Adds failed orders, and queued ones that have not failed; none that the ledger has stored.
     */
    private static void readElsewhere(Connection connection, Map<String, List<Shard>> redis,
            Map<String, SaleSums> sales) throws SQLException {
        List<Failed> failed = new ArrayList<>();
        FAILED.each(connection, row -> {
            Shard shard = shard(of(redis, row.getString(1)), row.getInt(2));
            if (shard == null || !shard.isAfter(row.getLong(3), row.getLong(4))) {
                failed.add(new Failed(row.getString(1), row.getInt(2), row.getString(6),
                        row.getString(5)));
            }
        }, SqlArray.texts(sales.keySet()));
        for (Map.Entry<String, SaleSums> sale : sales.entrySet()) {
            Set<String> ids = new HashSet<>();
            List<Failed> ofSale = failed.stream()
                    .filter(order -> order.sale.equals(sale.getKey())).toList();
            ofSale.forEach(order -> ids.add(String.valueOf(order.order)));
            Set<String> dead = Set.copyOf(ids);
            of(redis, sale.getKey()).forEach(shard -> ids.addAll(shard.waiting.keySet()));
            Set<String> stored =
                    StoredOrders.of(connection, sale.getValue().month(), ids);
            ofSale.stream().filter(order -> !stored.contains(String.valueOf(order.order)))
                    .forEach(order -> add(sale.getValue().failed(), order.partition,
                            order.lines));
            of(redis, sale.getKey()).forEach(shard -> shard.waiting.forEach((order, lines) -> {
                if (!stored.contains(order) && !dead.contains(order)) {
                    add(sale.getValue().waiting(), shard.partition, lines);
                }
            }));
        }
    }

    /** Ignores malformed lines, which may be why an order is a dead letter. */
    private static void add(Map<Place, Long> units, int partition, String lines) {
        try {
            Lines.quantities(String.valueOf(lines)).forEach((sku, quantity) ->
                    units.merge(new Place(partition, sku), quantity, Long::sum));
        } catch (IllegalArgumentException e) {
            return;
        }
    }
}
