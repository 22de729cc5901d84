package dev.rush.order;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.redis.Partitions;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Two pods with their own Redis and database, and access to both stores. */
public final class LedgerPods implements AutoCloseable {

    /** A valid time of a purchase. */
    public static final String NOW = Long.toString(System.currentTimeMillis());
    /** Long enough for the writer, retries in the background and checks. */
    public static final Duration SOON = Duration.ofSeconds(20);
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final AtomicInteger SALES = new AtomicInteger();

    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final Environment environment;
    private final String ledgerUrl;
    private final Map<String, String> config;
    private final Pod first;
    private final Pod second;

    /** Starts both pods on a fresh ledger; the properties override short intervals. */
    public LedgerPods(String name, Map<String, String> properties) {
        this(name, Environments.ledger().freshDatabase(), properties);
    }

    /** Starts both pods on the caller's ledger. */
    public LedgerPods(String name, String ledgerUrl, Map<String, String> properties) {
        environment = Environments.on(name, redis);
        this.ledgerUrl = ledgerUrl;
        config = new HashMap<>(Map.of("rush.orders.sink", "postgres", "rush.writer.lease", "PT1S",
                "rush.returns.retry", "PT0.3S", "rush.books.interval", "PT1S",
                "rush.rate-limit.enabled", "false"));
        config.put("quarkus.datasource.jdbc.url", ledgerUrl);
        config.putAll(properties);
        first = Environments.launchPod(name + "-1", environment, config);
        second = Environments.launchPod(name + "-2", environment, config);
        first.awaitReady();
        second.awaitReady();
        prepare("probe-" + name, "");
        if (!"api".equals(config.get("rush.role"))) {
            Await.until("the ledger has been compared with Redis", SOON,
                    () -> count("SELECT count(*) FROM ledger WHERE server <> ?", 0L) == 1);
        }
    }

    public String ledgerUrl() {
        return ledgerUrl;
    }

    public Pod first() {
        return first;
    }

    public Pod second() {
        return second;
    }

    public Api api() {
        return first.api();
    }

    /** Starts one more pod; the properties override those of the first two. */
    public Pod startPod(String name, Map<String, String> properties) {
        Map<String, String> all = new HashMap<>(config);
        all.putAll(properties);
        return Environments.startPod(name, environment, all);
    }

    /** The sum of a metric over both pods. */
    public double metric(String name) {
        return first.metric(name) + second.metric(name);
    }

    public Environment environment() {
        return environment;
    }

    public EmbeddedRedis redis() {
        return redis;
    }

    /** Prepares a sale of 100 apples, one per user, unless the fields say otherwise. */
    public String prepare(String fields) {
        String sale = "sale-" + SALES.incrementAndGet();
        prepare(sale, fields);
        return sale;
    }

    private void prepare(String sale, String fields) {
        String body = fields.contains("\"items\"") ? "{" + fields + "}"
                : "{\"items\":[{\"sku\":\"apple\",\"total\":100}]"
                + (fields.isEmpty() ? "" : "," + fields) + "}";
        Await.until(sale + " is prepared", SOON,
                () -> api().asOperator().put("/v1/sales/" + sale, body).status() == 201);
    }

    /** Buys, under a key unless it is null. */
    public Answer buy(String sale, String user, String key) {
        return buy(sale, user, key, 1);
    }

    public Answer buy(String sale, String user, String key, int quantity) {
        Api api = key == null ? api().as(user) : api().as(user).key(key);
        return api.post("/v1/sales/" + sale + "/purchases",
                "{\"items\":[{\"sku\":\"apple\",\"quantity\":" + quantity + "}]}");
    }

    /** Returns an order. */
    public Answer giveBack(String sale, String user, String order) {
        return api().as(user).post("/v1/sales/" + sale + "/returns",
                "{\"order\":\"" + order + "\"}");
    }

    public Answer giveBackByKey(String sale, String user, String key) {
        return api().as(user).post("/v1/sales/" + sale + "/returns",
                "{\"idempotencyKey\":\"" + key + "\"}");
    }

    public Answer books(String sale) {
        return api().asOperator().get("/v1/sales/" + sale + "/books");
    }

    /** Waits until the ledger has this number of orders of a sale. */
    public void awaitStored(String sale, long orders) {
        Await.until(orders + " orders of " + sale + " are in the ledger", SOON,
                () -> stored(sale) == orders, () -> stored(sale) + " are stored");
    }

    public long stored(String sale) {
        return count("SELECT count(*) FROM order_states WHERE sale = ?", sale);
    }

    /** A counter of a sale in Redis, for example {@code apple:ordered}. */
    public long stock(String sale, String counter) {
        try (Resp resp = environment.resp("")) {
            String value = resp.text("HGET", key(sale, "stock"), counter);
            return value == null ? -1 : Long.parseLong(value);
        }
    }

    /** Runs one Redis command. */
    public Object redis(String... command) {
        try (Resp resp = environment.resp("")) {
            return resp.command(command);
        }
    }

    public static String key(String sale, String part) {
        return PARTITIONS.of(sale).key("sale:" + sale + ":" + part);
    }

    public static String stream(String sale) {
        return PARTITIONS.of(sale).key("orders");
    }

    public static String sequence(String sale) {
        return PARTITIONS.of(sale).key("seq");
    }

    public static int partition(String sale) {
        return PARTITIONS.of(sale).index();
    }

    /** The number that a query with one parameter returns. */
    public long count(String query, Object parameter) {
        return Long.parseLong(text(query, parameter));
    }

    /** The text that a query with one parameter returns. */
    public String text(String query, Object parameter) {
        return select(ledgerUrl, query, parameter);
    }

    /** The text that a query of some ledger returns. */
    public static String select(String ledgerUrl, String query, Object... parameters) {
        try (Connection connection = DriverManager.getConnection(ledgerUrl);
                PreparedStatement select = connection.prepareStatement(query)) {
            for (int i = 0; i < parameters.length; i++) {
                select.setObject(i + 1, parameters[i]);
            }
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Changes rows behind the service's back. */
    public int update(String statement, Object... parameters) {
        try (Connection connection = DriverManager.getConnection(ledgerUrl);
                PreparedStatement update = connection.prepareStatement(statement)) {
            for (int i = 0; i < parameters.length; i++) {
                update.setObject(i + 1, parameters[i]);
            }
            return update.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A transaction on the ledger, which ends when the connection is closed. */
    public Connection transaction() {
        try {
            Connection connection = DriverManager.getConnection(ledgerUrl);
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Keeps all writers from a sale's partition until the connection is closed. */
    public Connection holdWriters(String sale) {
        try {
            Connection connection = transaction();
            try (PreparedStatement lock = connection.prepareStatement(
                    "SELECT 1 FROM partitions WHERE partition = ? FOR UPDATE")) {
                lock.setInt(1, partition(sale));
                lock.executeQuery().close();
            }
            return connection;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        first.close();
        second.close();
        redis.close();
    }
}
