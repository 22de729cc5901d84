package dev.rush.order;

import dev.rush.order.sql.Sql;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Orders that the ledger has, and their being paid. All fail with a problem while it is away. */
@Singleton
public class Statuses {

    private static final Sql FIND = Sql.named("order",
            "SELECT " + OrderRow.COLUMNS + " FROM orders WHERE id = ? AND sale = ?");
    private static final Sql BY_KEY = Sql.named("order-by-key",
            "SELECT " + OrderRow.COLUMNS + " FROM orders WHERE sale = ? AND user_id = ?"
            + " AND key = ? ORDER BY status = 'rejected' LIMIT 1");
    /** Two indexes hold what is rejected and what is not. */
    private static final Sql GRABS = Sql.named("grabs-of-user", """
            SELECT id, status FROM grabs
            WHERE rain = ? AND user_id = ? AND status = 'confirmed'
            UNION ALL SELECT id, status FROM grabs
            WHERE rain = ? AND user_id = ? AND status = 'rejected'""");
    /** Two indexes hold what is rejected and what is not. */
    private static final Sql ORDERS = Sql.named("orders-of-user",
            "SELECT * FROM (SELECT "
            + OrderRow.COLUMNS + " FROM orders WHERE sale = ? AND user_id = ?"
            + " AND status <> 'rejected' UNION ALL SELECT " + OrderRow.COLUMNS
            + " FROM orders WHERE sale = ? AND user_id = ? AND status = 'rejected')"
            + " AS all_of_them ORDER BY id DESC LIMIT ?");
    private static final Sql CONFIRM = Sql.named("confirm-order", """
            UPDATE orders SET status = 'confirmed'
            WHERE id = ? AND sale = ? AND status = 'reserved'
                AND (?::text IS NULL OR user_id = ?)""");

    private final Ledger ledger;

    @Inject
    Statuses(Ledger ledger) {
        this.ledger = ledger;
    }

    /** The order, or null. */
    public CompletableFuture<OrderRow> find(String sale, UUID order) {
        return ledger.read(connection -> find(connection, sale, order));
    }

    private static OrderRow find(Connection connection, String sale, UUID order)
            throws SQLException {
        return FIND.first(connection, OrderRow::of, order, sale);
    }

    /** Whose order this is, in the ledger or among its dead letters; or null. */
    public CompletableFuture<String> owner(String sale, UUID order) {
        return ledger.read(connection -> {
            OrderRow row = find(connection, sale, order);
            return row != null ? row.user()
                    : ReturnRows.deadLetterOf(connection, sale, order, null, null);
        });
    }

    /** The order of a user's under a key, a rejected one only where there is no other; or null. */
    public CompletableFuture<OrderRow> byKey(String sale, String user, String key) {
        return ledger.read(connection ->
                BY_KEY.first(connection, OrderRow::of, sale, user, key));
    }

    /** Statuses of a user's grabs from a rain, by the grab's id: confirmed or rejected. */
    public CompletableFuture<Map<String, String>> grabs(String rain, String user) {
        return ledger.read(connection -> {
            Map<String, String> statuses = new HashMap<>();
            GRABS.each(connection, row -> statuses.put(row.getString(1), row.getString(2)),
                    rain, user, rain, user);
            return statuses;
        });
    }

    /** The orders of a user, newest first, at most so many. */
    public CompletableFuture<List<OrderRow>> of(String sale, String user, int most) {
        return ledger.read(connection ->
                ORDERS.list(connection, OrderRow::of, sale, user, sale, user, most));
    }

    /**
     * Confirms an order if it is reserved. Confirming and expiring change the same row from
     * reserved, so exactly one of them does. An order that is stored between the two statements is
     * found reserved; it is there to stay, so the second time it is confirmed.
     *
     * @param user the only one whose order it may be, or null for anyone's
     * @return the order as it is now, or null if the ledger has none
     */
    public CompletableFuture<OrderRow> confirm(String sale, UUID order, String user) {
        return ledger.call(connection -> {
            CONFIRM.update(connection, order, sale, user, user);
            OrderRow row = find(connection, sale, order);
            if (row == null || !row.status().equals("reserved")) {
                return row;
            }
            CONFIRM.update(connection, order, sale, user, user);
            return find(connection, sale, order);
        });
    }
}
