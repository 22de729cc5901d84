package dev.rush.bench.growth;

import static dev.rush.bench.growth.History.BLOCK_ORDERS;
import static dev.rush.bench.growth.History.MONTHS;
import static dev.rush.bench.growth.History.PARTITIONS;
import static dev.rush.bench.growth.History.RAINS;
import static dev.rush.bench.growth.History.SALES;
import static dev.rush.bench.growth.History.WAITING;

import dev.rush.ledger.Lines;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flywaydb.core.Flyway;

/**
 * Loads a history into a new database by COPY. It commits after each block of orders, and again
 * after their steps. A block has a row per month, and both rows state the count of all its orders.
 * Loading everything in one transaction would give all rows its id and mislead the planner.
 */
final class Load implements AutoCloseable {
    private static final String COLUMNS = " (id, month, block, seq, placed_at_ms, pay_by_ms,"
            + " partition, sale, user_id, key, digest, lines, lefts";

    private final History history;
    private final Connection connection;
    private final CopiedRows rows;
    /** By "sale sku": stored reserved confirmed expired returned credited rejected settled. */
    private final Map<String, long[]> sums = new TreeMap<>();

    private Load(String url, History history) throws SQLException {
        this.history = history;
        this.connection = DriverManager.getConnection(url);
        this.rows = new CopiedRows(connection);
    }

    /** Loads a history without ANALYZE. */
    static void into(String url, History history) throws SQLException {
        Flyway.configure().dataSource(url, null, null).locations("db/migration").load().migrate();
        try (Load load = new Load(url, history)) {
            load.run();
        }
    }

    private void run() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // The caller decides when statistics are collected.
            statement.execute("ALTER SYSTEM SET autovacuum = off");
            statement.execute("SELECT pg_reload_conf()");
            for (int month : MONTHS) {
                statement.execute("SELECT ensure_month(" + month + ")");
            }
        }
        connection.setAutoCommit(false);
        partitions();
        for (int block = 0; block < history.blocks(); block++) {
            block(block);
        }
        restored();
        grabs();
        offers();
        waiting();
    }

    private void partitions() throws SQLException {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            rows.add("leases (partition)", partition);
            rows.add("partitions (partition, seq)", partition, history.lastSeq(partition));
        }
        rows.commit();
    }

    private void block(int block) throws SQLException {
        int first = block * BLOCK_ORDERS;
        for (int month : MONTHS) {
            rows.add("blocks (month, block, epoch, partition, token, first_seq, last_seq,"
                    + " places_before, orders, subjects)", month, block, 1,
                    History.partition(first), 1, History.seq(first),
                    History.seq(first + BLOCK_ORDERS - 1), month == MONTHS[0] ? 0 : BLOCK_ORDERS,
                    BLOCK_ORDERS, "{" + month + "}");
        }
        for (int order = first; order < first + BLOCK_ORDERS; order++) {
            order(order, block);
        }
        rows.commit();
        for (int order = first; order < first + BLOCK_ORDERS; order++) {
            steps(order);
        }
        rows.commit();
    }

    private void order(int order, int block) {
        History.Fate fate = history.fate(order);
        String lines = Lines.text(new TreeMap<>(History.quantities(order)));
        Object[] values = {History.id(order), History.month(order), block, History.seq(order),
            History.placedAt(order), history.payBy(order), History.partition(order),
            History.sale(order), History.user(order), History.key(order), "=", lines, "1"};
        if (fate == History.Fate.REJECTED) {
            rows.add("rejected" + COLUMNS + ", reason)", and(values, "limit"));
        } else {
            rows.add("orders" + COLUMNS + ", claim)", and(values, History.claim(order)));
        }
        if (fate == History.Fate.OPEN) {
            rows.add("reservations (partition, pay_by_ms, order_id, month, sale, user_id, lines,"
                            + " held)", History.partition(order), history.payBy(order),
                    History.id(order), History.month(order), History.sale(order),
                    History.user(order), lines, History.isHeld(order));
        }
        History.quantities(order).forEach((sku, units) -> add(
                sums.computeIfAbsent(History.sale(order) + " " + sku, key -> new long[8]),
                fate, units));
    }

    private void restored() throws SQLException {
        for (int order = 0; order < history.restored(); order++) {
            rows.add("orders" + COLUMNS + ", claim)", History.restoredId(order), MONTHS[0],
                    history.restoredBlock(order), 0, History.placedAt(order), 0, 0, "restored",
                    "user-" + order, null, "=", "apple:1", "1", "");
            if (order % 10 == 0) {
                rows.add("grabs", History.restoredId(order), MONTHS[0],
                        history.restoredBlock(order), 0, History.placedAt(order), order, 1, 5, 0,
                        "restored", "user-" + order, null);
            }
            if (order % BLOCK_ORDERS == BLOCK_ORDERS - 1) {
                rows.commit();
            }
        }
        rows.commit();
    }

    private static Object[] and(Object[] values, Object last) {
        Object[] all = Arrays.copyOf(values, values.length + 1);
        all[values.length] = last;
        return all;
    }

    private static void add(long[] sums, History.Fate fate, long units) {
        int[] columns = switch (fate) {
            case OPEN -> new int[] {0, 1};
            case PLAIN, CONFIRMED -> new int[] {0, 2};
            case EXPIRED -> new int[] {0, 3, 5};
            case RETURNED -> new int[] {0, 4, 5};
            case REJECTED -> new int[] {6};
        };
        for (int column : columns) {
            sums[column] += units;
        }
    }

    private void steps(int order) {
        switch (history.fate(order)) {
            case CONFIRMED -> step(order, 1, "confirmed", "payer:pay");
            case REJECTED -> step(order, 0, "rejected", "service:guard");
            case RETURNED, EXPIRED -> {
                boolean expired = history.fate(order) == History.Fate.EXPIRED;
                step(order, 1, expired ? "expired" : "returned", expired ? "service:expiry"
                        : "buyer:" + History.user(order));
                step(order, 2, "credited", "service:credits");
            }
            default -> { }
        }
    }

    private void step(int order, int number, String kind, String actor) {
        rows.add("steps (month, order_id, step, kind, epoch, partition, sale, actor)",
                History.month(order), History.id(order), number, kind, 1,
                History.partition(order), History.sale(order), actor);
    }

    private void grabs() throws SQLException {
        for (int grab = 0; grab < history.grabs(); grab++) {
            int rain = grab % RAINS;
            boolean refused = grab / RAINS % 10 == 0;
            List<Object> values = new ArrayList<>(Arrays.asList(History.grabId(grab),
                    MONTHS[rain % 2], history.blocks() + grab / BLOCK_ORDERS,
                    history.lastSeq(rain) + grab / RAINS + 1, History.placedAt(grab),
                    grab / RAINS + 1, 1, 5, rain, "rain-" + rain, History.user(grab), null));
            if (refused) {
                values.add("number");
            }
            rows.add((refused ? "rejected_grabs" : "grabs")
                    + " (id, month, block, seq, granted_at_ms, number, nth, amount, partition,"
                    + " rain, user_id, key"
                    + (refused ? ", reason)" : ")"), values.toArray());
            if (grab % BLOCK_ORDERS == BLOCK_ORDERS - 1) {
                rows.commit();
            }
        }
        rows.commit();
    }

    private void offers() throws SQLException {
        for (int sale = 0; sale < SALES; sale++) {
            sale(History.saleName(sale), History.monthOfSale(sale),
                    History.partitionOfSale(sale), "loaded");
            rows.commit();
        }
        for (int sale = 0; sale < history.retired(); sale++) {
            sale("retired-" + sale, 202001 + sale % 12, sale % PARTITIONS, "retired");
            sums.put("retired-" + sale + " apple", new long[] {9, 0, 9, 0, 0, 0, 0, 0});
            if (sale % 10 == 0) {
                rows.commit();
            }
        }
        for (int rain = 0; rain < RAINS; rain++) {
            long granted = history.grabs() / RAINS;
            rows.add("rains (rain, month, partition, definition, state, envelopes, amount, granted,"
                    + " granted_amount, limit_per_user)", "rain-" + rain, MONTHS[rain % 2], rain,
                    "{}", "loaded", granted + 9, (granted + 9) * 5, granted, granted * 5, 100);
        }
        sums.forEach((item, units) -> {
            String[] words = item.split(" ");
            int number = Integer.parseInt(words[0].replaceAll("\\D", ""));
            rows.add("items (sale, sku, total, sold, limit_per_user)", words[0], words[1],
                    2L * history.orders() + 9, units[1] + units[2], 2);
            for (int slot = 0; slot < 9; slot++) {
                Object[] values = new Object[12];
                Arrays.fill(values, 0);
                System.arraycopy(new Object[] {words[0], number % PARTITIONS, words[1], slot},
                        0, values, 0, 4);
                for (int i = 0; slot == 0 && i < units.length; i++) {
                    values[4 + i] = units[i];
                }
                rows.add("sums", values);
            }
        });
        rows.commit();
        try (Statement statement = connection.createStatement()) {
            statement.execute("UPDATE watched SET opened = true, due_at_ms = NULL"
                    + " WHERE offer NOT LIKE '%0'");
        }
        connection.commit();
    }

    private void sale(String sale, int month, int partition, String state) {
        rows.add("sales (sale, month, partitions, definition, state, returns_limit,"
                + " payment_window_ms, orders_per_user)", sale, month, "{" + partition + "}",
                "{}", state, true, 0, 20);
    }

    /** Loads working sets of fixed size, and audit and returns rows that grow. */
    private void waiting() throws SQLException {
        for (int i = 0; i < WAITING; i++) {
            rows.add("retries (partition, fingerprint, kind, subject, order_id, user_id, key, seq,"
                    + " at_ms, fields, reason, tries, state)", i % PARTITIONS, "print-" + i,
                    "purchase", "sale-0", History.grabId(i), "user-" + i, null, i + 1, 1,
                    "{\"lines\":\"apple:1\"}", "r", 1, "waiting");
            rows.add("returns (id, sale, user_id, order_id, state, actor)", History.grabId(i),
                    "sale-0", "user-" + i, History.grabId(i), "parked", "buyer:user");
            rows.add("losses (partition, low, high, noticed_at_ms, lost, restored_at)",
                    i % PARTITIONS, i, i + 1, 1, 0, "2026-01-01");
        }
        rows.add("webhooks (webhook, url, types, secret, epoch, xact, place)", "hook",
                "https://a.example/", "{dev.rush.*}", "s", 1, 1, 1);
        rows.add("sinks (sink, epoch, xact, place)", "kafka", 1, 1, 1);
        for (int order : history.owed(WAITING)) {
            rows.add("credits (partition, since, order_id, month, step, expired, actor, sale,"
                            + " user_id, lines)",
                    History.partition(order), "2026-01-01", History.id(order),
                    History.month(order), 1, true, "service:expiry", History.sale(order),
                    History.user(order), "apple:1");
        }
        rows.commit();
        for (int i = 0; i < history.orders() / 100; i++) {
            rows.add("audit (id, epoch, actor, action, subject)", History.grabId(i), 1,
                    "operator:ann", "sale.paused", "sale-0");
            if (i % 10 == 0) {
                rows.add("returns (id, sale, user_id, order_id, state, actor)", History.id(i),
                        "sale-0", "user-" + i, History.id(i), "void", "buyer:user");
                rows.commit();
            }
        }
        rows.commit();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
