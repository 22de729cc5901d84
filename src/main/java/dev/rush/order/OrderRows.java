package dev.rush.order;

import dev.rush.order.StreamEntry.Purchase;
import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Storing accepted purchases. Rows are inserted first, and only those that were really inserted
 * pass the guards, so that an entry that is delivered again never counts twice. What a guard
 * refuses stays, as rejected. One round trip per statement, whatever the number of orders.
 *
 * <p>Nearly always all orders are new, and PostgreSQL stores much faster when it need not look for
 * each one first. So they are taken for new until a unique index says otherwise.
 */
@Singleton
class OrderRows {

    private static final Sql INSERT = Sql.named("insert-orders", """
            INSERT INTO orders (id, sale, user_id, key, digest, lines, lefts, status,
                placed_at_ms, pay_by_ms, partition, seq)
            SELECT id, sale, user_id, key, digest, lines, lefts,
                CASE WHEN ? THEN 'rejected' WHEN pay_by_ms > 0 THEN 'reserved'
                    ELSE 'confirmed' END,
                placed_at_ms, pay_by_ms, ?, seq
            FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
                ?::text[], ?::bigint[], ?::bigint[], ?::bigint[])
                AS entry (id, sale, user_id, key, digest, lines, lefts, placed_at_ms, pay_by_ms,
                    seq)
            ON CONFLICT DO NOTHING RETURNING id""");
    private static final Sql REJECT = Sql.named("reject-orders",
            "UPDATE orders SET status = 'rejected' WHERE id = ANY (?::uuid[])");

    private final SaleTerms saleTerms;

    @Inject
    OrderRows(SaleTerms saleTerms) {
        this.saleTerms = saleTerms;
    }

    /**
     * Stores purchases of one partition within the caller's transaction.
     *
     * @param allNew fails with a violated constraint if an order or its key is there already
     */
    void store(Connection connection, int partition, List<Purchase> purchases, boolean allNew,
            Batch batch) throws SQLException {
        Set<String> sales = new HashSet<>();
        purchases.forEach(purchase -> sales.add(purchase.sale()));
        Map<String, SaleTerms.Terms> terms = saleTerms.of(connection, sales);
        Map<UUID, Purchase> known = new LinkedHashMap<>();
        for (Purchase purchase : purchases) {
            SaleTerms.Terms sale = terms.get(purchase.sale());
            if (sale == null) {
                batch.fail(purchase, "the ledger has no sale " + purchase.sale());
            } else if (!sale.limits().keySet().containsAll(purchase.quantities().keySet())) {
                batch.fail(purchase, "the ledger has no such item of sale " + purchase.sale());
            } else {
                batch.settle(purchase);
                known.put(purchase.order(), purchase);
            }
        }
        if (known.isEmpty()) {
            return;
        }
        List<Purchase> wanted = List.copyOf(known.values());
        // Before they are inserted, so that the index alone knows that a buyer has nothing yet.
        OrderGuards.Taken taken = OrderGuards.taken(connection, wanted, terms);
        if (allNew) {
            Map<UUID, String> overLimit;
            try (OrderCopy copy = new OrderCopy(connection, partition)) {
                copy.send(wanted);
                overLimit = OrderGuards.overLimit(wanted, taken);
                copy.end();
            }
            guard(connection, known, overLimit, batch);
            return;
        }
        Set<UUID> inserted = insert(connection, partition, wanted, false);
        if (inserted.size() < wanted.size()) {
            rejectReusedKeys(connection, partition, wanted, inserted, batch);
        }
        Map<UUID, Purchase> fresh = new LinkedHashMap<>();
        wanted.stream().filter(purchase -> inserted.contains(purchase.order()))
                .forEach(purchase -> fresh.put(purchase.order(), purchase));
        if (!fresh.isEmpty()) {
            guard(connection, fresh, OrderGuards.overLimit(fresh.values(), taken), batch);
        }
    }

    /** Passes over what is there already, and says what was not. */
    private static Set<UUID> insert(Connection connection, int partition,
            List<Purchase> purchases, boolean rejected) throws SQLException {
        return Set.copyOf(INSERT.list(connection, StoredIds::id, rejected, partition,
                SqlArray.texts(purchases, purchase -> purchase.order().toString()),
                SqlArray.texts(purchases, Purchase::sale),
                SqlArray.texts(purchases, Purchase::user),
                SqlArray.texts(purchases, Purchase::key),
                SqlArray.texts(purchases, Purchase::digest),
                SqlArray.texts(purchases, Purchase::lines),
                SqlArray.texts(purchases, Purchase::lefts),
                SqlArray.longs(purchases, Purchase::placedAt),
                SqlArray.longs(purchases, Purchase::payBy),
                SqlArray.longs(purchases, Purchase::seq)));
    }

    /** What was not inserted is there already, or another order has its key: it is rejected. */
    private static void rejectReusedKeys(Connection connection, int partition,
            List<Purchase> wanted, Set<UUID> inserted, Batch batch) throws SQLException {
        Set<UUID> there = Set.copyOf(StoredIds.ORDERS.list(connection, StoredIds::id,
                SqlArray.ids(wanted.stream().map(Purchase::order).toList())));
        List<Purchase> reused = wanted.stream()
                .filter(purchase -> !there.contains(purchase.order())).toList();
        if (!reused.isEmpty()) {
            insert(connection, partition, reused, true);
            reused.forEach(purchase -> batch.reject("order " + purchase.order() + " of sale "
                    + purchase.sale() + ": its key belongs to another order"));
        }
    }

    private static void guard(Connection connection, Map<UUID, Purchase> fresh,
            Map<UUID, String> overLimit, Batch batch) throws SQLException {
        Map<UUID, String> rejected = new HashMap<>(overLimit);
        List<Purchase> within = new ArrayList<>(fresh.values());
        within.removeIf(purchase -> rejected.containsKey(purchase.order()));
        rejected.putAll(OrderGuards.sell(connection, within));
        if (rejected.isEmpty()) {
            return;
        }
        REJECT.update(connection, SqlArray.ids(rejected.keySet()));
        rejected.forEach((order, reason) -> batch.reject("order " + order + " of sale "
                + fresh.get(order).sale() + ": " + reason));
    }
}
