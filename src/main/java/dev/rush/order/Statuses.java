package dev.rush.order;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Orders that the ledger has, and their being paid. All fail with a problem while it is away. */
@Singleton
public class Statuses {

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
        try (PreparedStatement select = connection.prepareStatement("SELECT "
                + OrderRow.COLUMNS + " FROM orders WHERE id = ? AND sale = ?")) {
            select.setObject(1, order);
            select.setString(2, sale);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? OrderRow.of(row) : null;
            }
        }
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
        return ledger.read(connection -> {
            try (PreparedStatement select = connection.prepareStatement("SELECT "
                    + OrderRow.COLUMNS + " FROM orders WHERE sale = ? AND user_id = ? AND key = ?"
                    + " ORDER BY status = 'rejected' LIMIT 1")) {
                select.setString(1, sale);
                select.setString(2, user);
                select.setString(3, key);
                try (ResultSet row = select.executeQuery()) {
                    return row.next() ? OrderRow.of(row) : null;
                }
            }
        });
    }

    /** Statuses of a user's grabs from a rain, by the grab's id: confirmed or rejected. */
    public CompletableFuture<Map<String, String>> grabs(String rain, String user) {
        return ledger.read(connection -> {
            Map<String, String> statuses = new HashMap<>();
            // Two indexes hold what is rejected and what is not.
            try (PreparedStatement select = connection.prepareStatement("""
                    SELECT id, status FROM grabs
                    WHERE rain = ? AND user_id = ? AND status = 'confirmed'
                    UNION ALL SELECT id, status FROM grabs
                    WHERE rain = ? AND user_id = ? AND status = 'rejected'""")) {
                select.setString(1, rain);
                select.setString(2, user);
                select.setString(3, rain);
                select.setString(4, user);
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        statuses.put(rows.getString(1), rows.getString(2));
                    }
                }
            }
            return statuses;
        });
    }

    /** The orders of a user, newest first, at most so many. */
    public CompletableFuture<List<OrderRow>> of(String sale, String user, int most) {
        return ledger.read(connection -> {
            List<OrderRow> orders = new ArrayList<>();
            // Two indexes hold what is rejected and what is not.
            try (PreparedStatement select = connection.prepareStatement("SELECT * FROM (SELECT "
                    + OrderRow.COLUMNS + " FROM orders WHERE sale = ? AND user_id = ?"
                    + " AND status <> 'rejected' UNION ALL SELECT " + OrderRow.COLUMNS
                    + " FROM orders WHERE sale = ? AND user_id = ? AND status = 'rejected')"
                    + " AS all_of_them ORDER BY id DESC LIMIT ?")) {
                select.setString(1, sale);
                select.setString(2, user);
                select.setString(3, sale);
                select.setString(4, user);
                select.setInt(5, most);
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        orders.add(OrderRow.of(rows));
                    }
                }
            }
            return orders;
        });
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
            confirm(connection, sale, order, user);
            OrderRow row = find(connection, sale, order);
            if (row == null || !row.status().equals("reserved")) {
                return row;
            }
            confirm(connection, sale, order, user);
            return find(connection, sale, order);
        });
    }

    private static void confirm(Connection connection, String sale, UUID order, String user)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE orders SET status = 'confirmed'
                WHERE id = ? AND sale = ? AND status = 'reserved'
                    AND (?::text IS NULL OR user_id = ?)""")) {
            update.setObject(1, order);
            update.setString(2, sale);
            update.setString(3, user);
            update.setString(4, user);
            update.executeUpdate();
        }
    }
}
