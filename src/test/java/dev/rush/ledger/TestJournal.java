package dev.rush.ledger;

import dev.rush.RushConfig;
import dev.rush.redis.Partitions;
import dev.rush.testing.Await;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * The service's own access to an empty journal, and direct SQL beside it. One statement of the
 * service or of its migrations may be rewritten.
 */
public final class TestJournal implements AutoCloseable {
    /** The month of all rows. */
    public static final int MONTH = 202601;
    private static final Vertx VERTX = Vertx.vertx();
    private static final Duration MIGRATED = Duration.ofSeconds(60);
    private static final int VALID_S = 10;

    public final RushConfig config;
    public final Ledger ledger;
    public final OfferCache known;
    private final String url;
    private final RewrittenSource source;
    private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();
    private int ids;

    /** The journal of an empty database, with unchanged SQL, compared with Redis. */
    public TestJournal(String url) {
        this(url, SqlRewrite.NONE);
    }

    public TestJournal(String url, SqlRewrite rewrite) {
        this(url, rewrite, Map.of());
    }

    TestJournal(String url, SqlRewrite rewrite, Map<String, String> settings) {
        this.url = url;
        config = config(settings);
        source = new RewrittenSource(url, rewrite);
        LedgerStart start = new LedgerStart(source.sources(),
                RewrittenSource.migrations("db/migration"));
        ledger = new Ledger(start, VERTX, config);
        known = new OfferCache(ledger, new Partitions(8));
        start.start();
        Await.until("the schema is there", MIGRATED, ledger::isReady);
        sql("SELECT ensure_month(" + MONTH + ")");
        sql("INSERT INTO partitions (partition) SELECT generate_series(0, 7)");
        check();
    }

    /** Records that this PostgreSQL process was compared with Redis. */
    public void check() {
        sql("UPDATE ledger SET epoch = epoch + 1, checked_at = now(), server ="
                + " (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint");
    }

    public <T> T transact(Ledger.Work<T> work) {
        return ledger.transact(work);
    }

    /** The settings of this ledger's service, with some of them changed. */
    public static RushConfig config(Map<String, String> others) {
        Map<String, String> settings = new HashMap<>(Map.of("rush.orders.sink", "postgres",
                "rush.partitions", "8", "rush.ledger.lock-timeout", "PT20S",
                "rush.ledger.statement-timeout", "PT40S", "rush.ledger.deadline", "PT30S"));
        settings.putAll(others);
        return new SmallRyeConfigBuilder().withMapping(RushConfig.class)
                .withDefaultValues(settings).build().getConfigMapping(RushConfig.class);
    }

    /** A cache of sales and rains that queries them one by one. */
    public OfferCache offers(Partitions partitions) {
        return new OfferCache(ledger, partitions);
    }

    /** A new name. */
    public String id(String kind) {
        return kind + "-" + ++ids;
    }

    /** A loaded sale in partition 0 with items "sku:total:limit". */
    public String sale(String... items) {
        String sale = id("sale");
        sql("INSERT INTO sales (sale, month, partitions, definition, state, returns_limit,"
                + " payment_window_ms, orders_per_user, loaded_at) VALUES ('" + sale + "', "
                + MONTH + ", '{0}', '{}', 'loaded', true, 0, 20, now())");
        for (String item : items) {
            String[] parts = item.split(":");
            sql("INSERT INTO items (sale, sku, total, limit_per_user) VALUES ('" + sale + "', '"
                    + parts[0] + "', " + parts[1] + ", " + parts[2] + ")");
        }
        return sale;
    }

    /** Stores an order of partition 0 as a writer does, alone in its block. */
    public UUID order(String sale, String user, String key, String lines, long payBy) {
        UUID id = UUID.randomUUID();
        OrderStatus status = payBy > 0 ? OrderStatus.RESERVED : OrderStatus.CONFIRMED;
        transact((connection, ledgerState) -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(stored(ledgerState, id, sale, user, key, lines, payBy));
            }
            Map<String, Long> quantities = Lines.quantities(lines);
            new Sums().add(sale, 0, quantities, Sums.Column.STORED)
                    .add(sale, 0, quantities, Sums.Column.of(status))
                    .write(connection, Sums.WRITER);
            return null;
        });
        return id;
    }

    private static String stored(LedgerState ledgerState, UUID id, String sale, String user,
            String key,
            String lines, long payBy) {
        String given = key == null ? "NULL" : "'" + key + "'";
        StringBuilder sql = new StringBuilder(("WITH block AS (INSERT INTO blocks (month, block,"
                + " epoch, partition, token, first_seq, last_seq, places_before, orders, subjects)"
                + " VALUES (%d, nextval('block_ids'), %d, 0, 1, 1, 1, 0, 1, '{%s}')"
                + " RETURNING block) INSERT INTO orders SELECT '%s', %d, block, 1, 1, %d, 0,"
                + " '%s', '%s', %s, '=', '%s', '1', %s FROM block").formatted(MONTH,
                ledgerState.epoch(), sale, id, MONTH, payBy, sale, user, given, lines, given));
        if (payBy > 0) {
            sql.append("; INSERT INTO reservations VALUES (0, %d, '%s', %d, '%s', '%s', '%s')"
                    .formatted(payBy, id, MONTH, sale, user, lines));
        }
        Lines.quantities(lines).forEach((sku, units) -> sql.append(
                "; UPDATE items SET sold = sold + %d WHERE sale = '%s' AND sku = '%s'".formatted(
                        units, sale, sku)));
        return sql.toString();
    }

    /** The current state of an order. */
    public Order find(String sale, UUID id) {
        return transact((connection, ledgerState) -> OrderRows.find(connection, MONTH, sale, id));
    }

    /** A sale's sums as "sku stored reserved confirmed expired returned credited", in lines. */
    public String sums(String sale) {
        return sql("SELECT string_agg(line, E'\\n' ORDER BY line COLLATE \"C\") FROM (SELECT"
                + " concat_ws(' ', sku, sum(stored), sum(reserved), sum(confirmed), sum(expired),"
                + " sum(returned), sum(credited)) AS line FROM sums WHERE sale = '" + sale
                + "' GROUP BY sku) AS lines");
    }

    /** The expected result of {@link #sums}, from the sale's rows. */
    public String recount(String sale) {
        return sql("SELECT string_agg(line, E'\\n' ORDER BY line COLLATE \"C\") FROM (SELECT"
                + " concat_ws(' ', split_part(l, ':', 1), sum(u), %s, %s, %s, %s,"
                        .formatted(of("reserved"), of("confirmed"), of("expired"), of("returned"))
                + " COALESCE(sum(u) FILTER (WHERE EXISTS (SELECT FROM steps s WHERE s.month ="
                + " o.month AND s.order_id = o.id AND s.kind = 'credited')), 0)) AS line"
                + " FROM order_states o, unnest(string_to_array(lines, ',')) AS l,"
                + " LATERAL (SELECT split_part(l, ':', 2)::bigint AS u) AS units"
                + " WHERE sale = '" + sale + "' AND status <> 'rejected'"
                + " GROUP BY split_part(l, ':', 1)) AS lines");
    }

    private static String of(String status) {
        return "COALESCE(sum(u) FILTER (WHERE status = '" + status + "'), 0)";
    }

    /** The items of a sale as "sku sold", in lines. */
    public String sold(String sale) {
        return sql("SELECT string_agg(sku || ' ' || sold, E'\\n' ORDER BY sku) FROM items"
                + " WHERE sale = '" + sale + "'");
    }

    /** The first column of the first row, as text, or the number of rows changed. */
    public String sql(String query) {
        try {
            Connection connection = idleOrNew();
            try (Statement statement = connection.createStatement()) {
                if (!statement.execute(query)) {
                    return Integer.toString(statement.getUpdateCount());
                }
                try (ResultSet row = statement.getResultSet()) {
                    return row.next() ? row.getString(1) : null;
                }
            } finally {
                idle.push(connection);
            }
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    private Connection idleOrNew() throws SQLException {
        for (Connection next = idle.poll(); next != null; next = idle.poll()) {
            if (next.isValid(VALID_S)) {
                return next;
            }
            next.close();
        }
        return DriverManager.getConnection(url);
    }

    /** A new connection, in a transaction that the caller ends. */
    public Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
        return connection;
    }

    @Override
    public void close() throws SQLException {
        ledger.stop();
        source.close();
        for (Connection connection : idle) {
            connection.close();
        }
    }
}
