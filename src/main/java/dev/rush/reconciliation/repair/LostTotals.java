package dev.rush.reconciliation.repair;

import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jboss.logging.Logger;

/**
 * Changes of totals that Redis has and the ledger lost. A change first takes its version from the
 * ledger, so Redis never has a later version than a ledger that lost nothing.
 */
final class LostTotals {

    private static final Logger LOG = Logger.getLogger(LostTotals.class);
    private static final Actor ACTOR = Actor.service("ledger");
    private static final String VERSION = ":version";
    private static final String PART = "500";
    private static final String END = "0";
    private static final Sql FIND = Sql.named("totals-lost", """
            SELECT t.ordinal, array_to_string(s.partitions, ' ')
            FROM unnest(?::text[], ?::text[], ?::bigint[]) WITH ORDINALITY
                AS t (sale, sku, version, ordinal)
            JOIN LATERAL (SELECT i.sale FROM items i
                WHERE i.sale = t.sale AND i.sku = t.sku AND i.version < t.version LIMIT 1) i
                ON true
            JOIN LATERAL (SELECT s.partitions FROM sales s WHERE s.sale = t.sale LIMIT 1) s
                ON true
            ORDER BY t.sale, t.sku""");
    /** The ledger's total is never below that of Redis. */
    private static final Sql RAISE = Sql.named("raise-lost-total", """
            UPDATE items SET total = GREATEST(total, ?), version = ?
            WHERE sale = ? AND sku = ? AND version < ? RETURNING total""");

    private LostTotals() {
    }

    /**
     * A total in Redis.
     *
     * @param version of its latest change
     */
    record Total(String sale, String sku, long version, long total) {
    }

    /** The totals, over all shards, of the sales listed in a partition. */
    static List<Total> read(RedisCommands redis, Partition partition) {
        List<Total> totals = new ArrayList<>();
        Reply sales = redis.read("ZRANGE", partition.keys().named("sales"), "0", "-1").join();
        for (String sale : sales.texts()) {
            Map<String, String> stock = stock(redis, partition.keys().sale(sale, "stock"));
            stock.forEach((field, version) -> {
                if (field.endsWith(VERSION)) {
                    String sku = field.substring(0, field.length() - VERSION.length());
                    String total = stock.getOrDefault(sku + ":whole",
                            stock.getOrDefault(sku + ":total", ""));
                    add(totals, sale, sku, version, total);
                }
            });
        }
        return totals;
    }

    private static Map<String, String> stock(RedisCommands redis, Keys key) {
        Map<String, String> stock = new HashMap<>();
        String cursor = END;
        do {
            Reply part = redis.read("HSCAN", key, cursor, "COUNT", PART).join();
            cursor = part.at(0).word();
            stock.putAll(part.at(1).pairs());
        } while (!cursor.equals(END));
        return stock;
    }

    private static void add(List<Total> totals, String sale, String sku, String version,
            String total) {
        try {
            totals.add(new Total(sale, sku, Long.parseLong(version), Long.parseLong(total)));
        } catch (NumberFormatException e) {
            // Not written by Rush.
            LOG.warnf("The total of %s of sale %s in Redis is not a number", sku, sale);
        }
    }

    /** Repeats lost changes. Returns the partitions of the sales concerned, each with one total. */
    static Map<Integer, Total> raise(Connection connection, LedgerState ledgerState,
            Collection<Total> totals) throws SQLException {
        List<Total> all = List.copyOf(totals);
        Map<Integer, Total> affected = new HashMap<>();
        List<Total> lost = new ArrayList<>();
        FIND.each(connection, row -> {
            Total total = all.get(row.getInt(1) - 1);
            lost.add(total);
            Arrays.stream(row.getString(2).split(" ")).map(Integer::valueOf)
                    .forEach(partition -> affected.putIfAbsent(partition, total));
        }, SqlArray.texts(all, Total::sale), SqlArray.texts(all, Total::sku),
                SqlArray.longs(all, Total::version));
        for (Total total : lost) {
            Long restored = RAISE.first(connection, row -> row.getLong(1), total.total,
                    total.version, total.sale, total.sku, total.version);
            if (restored != null) {
                AuditRows.insert(connection, ledgerState, UUID.randomUUID(), ACTOR,
                        "item.total-restored", total.sale + "/" + total.sku, null, restored,
                        null);
            }
        }
        return affected;
    }
}
