package dev.rush.order;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * A suite's own Redis and database, pods on them with intervals of fractions of a second, and
 * direct access to both stores.
 */
final class LedgerScene implements AutoCloseable {
    /** A valid time of a purchase. */
    static final String NOW = Long.toString(System.currentTimeMillis());
    static final Duration SOON = Duration.ofSeconds(20);
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final Map<String, String> FAST = Map.of(
            "rush.orders.sink", "postgres",
            "rush.confirm-by", "buyer",
            "rush.rate-limit.enabled", "false",
            "rush.writer.lease", "PT1S",
            "rush.writer.retry", "PT0.05S",
            "rush.expiry.interval", "PT0.2S",
            "rush.expiry.away", "PT3S",
            "rush.expiry.grace", "PT30S",
            "rush.ledger.deadline", "PT10S");

    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final Environment environment;
    private final String ledgerUrl;

    LedgerScene(String name) {
        this(name, null);
    }

    /** A scene on a PostgreSQL of the caller's; null for the shared one. */
    LedgerScene(String name, String ledgerUrl) {
        environment = Environments.on(name, redis);
        this.ledgerUrl = ledgerUrl == null ? environment.ledgerUrl() : ledgerUrl;
    }

    Environment environment() {
        return environment;
    }

    String ledgerUrl() {
        return ledgerUrl;
    }

    /** Starts a pod; more are pairs of a property and its value. */
    Pod pod(String name, String... more) {
        Map<String, String> config = new HashMap<>(FAST);
        config.put("quarkus.datasource.jdbc.url", ledgerUrl);
        for (int i = 0; i < more.length; i += 2) {
            config.put(more[i], more[i + 1]);
        }
        return Environments.startPod(name, environment, config);
    }

    /** Waits until a pod has a ledger that was compared with Redis. */
    void awaitLedger(Pod pod) {
        Await.until("the ledger is available", SOON, () ->
                pod.api().asOperator().get("/v1/audit?after=1.0.0").status() == 200
                        && count("SELECT epoch FROM ledger") > 1);
    }

    Resp redis() {
        return Resp.connect(redis.port());
    }

    /** One command to Redis. */
    Object redis(String... words) {
        try (Resp resp = redis()) {
            return resp.command(words);
        }
    }

    /** The first column of the first row, as text; null without a row. */
    String sql(String query) {
        try (Connection connection = DriverManager.getConnection(ledgerUrl);
                Statement statement = connection.createStatement()) {
            if (!statement.execute(query)) {
                return Integer.toString(statement.getUpdateCount());
            }
            try (ResultSet row = statement.getResultSet()) {
                return row.next() ? row.getString(1) : null;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    long count(String query) {
        return Long.parseLong(sql(query));
    }

    /** Keeps all writers from a sale's partition until the connection is closed. */
    Connection holdWriters(String sale) throws SQLException {
        Connection connection = DriverManager.getConnection(ledgerUrl);
        connection.setAutoCommit(false);
        try (Statement lock = connection.createStatement()) {
            lock.execute("SELECT 1 FROM partitions WHERE partition = " + partition(sale).index()
                    + " FOR UPDATE");
        }
        return connection;
    }

    /** Orders of a sale in a status. */
    long orders(String sale, String status) {
        return count("SELECT count(*) FROM order_states WHERE sale = '" + sale + "' AND status = '"
                + status + "'");
    }

    void awaitOrders(String sale, String status, long wanted) {
        Await.until(wanted + " orders of " + sale + " are " + status, SOON,
                () -> orders(sale, status) == wanted,
                () -> sql("SELECT string_agg(status || ' ' || id, ', ') FROM order_states"
                        + " WHERE sale = '" + sale + "'"));
    }

    /** Waits until the stream of a sale's partition is empty. */
    void awaitDrained(String sale) {
        Await.until("the stream of " + sale + " is empty", SOON,
                () -> (Long) redis("XLEN", partition(sale).key("orders")) == 0);
    }

    static Partition partition(String sale) {
        return PARTITIONS.of(sale);
    }

    /** A stream entry as purchase.lua would have written it, for a new order. Returns the order. */
    String enter(String sale, String user, String lines) {
        String order = UUID.randomUUID().toString();
        enter(sale, order, user, order, lines);
        return order;
    }

    void enter(String sale, String order, String user, String key, String lines) {
        add(sale, "purchase", String.join(
                " ", sale, NOW, "0", "1", "1", user, order, key, "=", lines, "0"));
    }

    /** Any stream entry in the partition of a sale. */
    void add(String sale, String field, String value) {
        redis("XADD", partition(sale).key("orders"), "*", field, value);
    }

    @Override
    public void close() {
        redis.close();
    }
}
