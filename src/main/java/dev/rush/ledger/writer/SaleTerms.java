package dev.rush.ledger.writer;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Cache of the terms of sales, which never change within one epoch of the ledger. */
@Singleton
class SaleTerms {

    private static final Sql READ = Sql.named("items-with-terms", """
            SELECT s.sale, s.month, s.payment_window_ms, s.orders_per_user, s.returns_limit,
                (extract(epoch FROM s.prepared_at) * 1000)::bigint, s.definition,
                bool_or(i.limit_per_user > 0) OVER (PARTITION BY s.sale), i.sku, i.limit_per_user
            FROM sales s JOIN items i ON i.sale = s.sale
            WHERE s.sale = ANY (?) AND s.state <> 'preparing'""");
    /** Default if a definition states none. */
    private static final long QUANTITY_MAX = 1_000_000;

    private final Cache<Key, Terms> known;
    private final Json json;

    /**
     * Includes the epoch, because a ledger that lost commits may lack the sale, or get it again
     * with other terms.
     */
    private record Key(int epoch, String sale) {
    }

    @Inject
    SaleTerms(RushConfig config, Json json) {
        this.json = json;
        known = Caffeine.newBuilder().maximumSize(config.view().entries()).build();
    }

    /** The terms of those of these sales that are released. */
    Map<String, Terms> of(Connection connection, LedgerState ledgerState, Set<String> sales)
            throws SQLException {
        Map<String, Terms> terms = new HashMap<>();
        Set<String> missing = new HashSet<>();
        for (String sale : sales) {
            Terms found = known.getIfPresent(new Key(ledgerState.epoch(), sale));
            if (found == null) {
                missing.add(sale);
            } else {
                terms.put(sale, found);
            }
        }
        if (!missing.isEmpty()) {
            read(connection, missing).forEach((sale, read) -> {
                known.put(new Key(ledgerState.epoch(), sale), read);
                terms.put(sale, read);
            });
        }
        return terms;
    }

    /** Removes a cached sale that the ledger turned out not to have. */
    void forget(LedgerState ledgerState, String sale) {
        known.invalidate(new Key(ledgerState.epoch(), sale));
    }

    private Map<String, Terms> read(Connection connection, Set<String> sales)
            throws SQLException {
        Map<String, Terms> read = new HashMap<>();
        READ.each(connection, row -> {
            Terms terms = read.get(row.getString(1));
            if (terms == null) {
                terms = new Terms(row.getInt(2), row.getLong(3), row.getLong(4),
                        row.getBoolean(5), row.getLong(6), quantityMax(row.getString(7)),
                        row.getBoolean(8), new HashMap<>());
                read.put(row.getString(1), terms);
            }
            terms.limits().put(row.getString(9), row.getLong(10));
        }, SqlArray.texts(sales));
        return read;
    }

    private long quantityMax(String definition) {
        return json.read(definition.getBytes(StandardCharsets.UTF_8), JsonNode.class)
                .path("maxQuantity").asLong(QUANTITY_MAX);
    }
}
