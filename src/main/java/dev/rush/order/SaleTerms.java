package dev.rush.order;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.RushConfig;
import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What the writer must know of a sale and what never changes: its items, their limits. */
@Singleton
class SaleTerms {

    private static final Sql READ = Sql.named("terms-of-sales", """
            SELECT i.sale, i.sku, i.limit_per_user, s.returns_limit
            FROM items i JOIN sales s ON s.sale = i.sale
            WHERE s.sale = ANY (?) AND s.state = 'loaded'""");

    private final Cache<String, Terms> known;

    /**
     * A sale's terms.
     *
     * @param limits       sku → most units per user, 0 for any number
     * @param returnsLimit whether a return gives the user's limit back
     */
    record Terms(Map<String, Long> limits, boolean returnsLimit) {

        boolean isLimited(Set<String> skus) {
            for (String sku : skus) {
                if (limits.get(sku) > 0) {
                    return true;
                }
            }
            return false;
        }
    }

    @Inject
    SaleTerms(RushConfig config) {
        known = Caffeine.newBuilder().maximumSize(config.view().entries()).build();
    }

    /** The terms of those of these sales that the ledger has. */
    Map<String, Terms> of(Connection connection, Set<String> sales) throws SQLException {
        Map<String, Terms> terms = new HashMap<>(known.getAllPresent(sales));
        Set<String> missing = new HashSet<>(sales);
        missing.removeAll(terms.keySet());
        if (!missing.isEmpty()) {
            Map<String, Terms> read = read(connection, missing);
            known.putAll(read);
            terms.putAll(read);
        }
        return terms;
    }

    private static Map<String, Terms> read(Connection connection, Set<String> sales)
            throws SQLException {
        Map<String, Terms> read = new HashMap<>();
        READ.each(connection, row -> {
            boolean returnsLimit = row.getBoolean(4);
            read.computeIfAbsent(row.getString(1),
                    sale -> new Terms(new HashMap<>(), returnsLimit))
                    .limits().put(row.getString(2), row.getLong(3));
        }, SqlArray.texts(sales));
        return read;
    }
}
