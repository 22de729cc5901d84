package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.redis.Partitions;
import dev.rush.redis.Shards;
import dev.rush.testing.Await;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The service's own access to an empty database, and a look behind its back. One statement, of the
 * service or of its migrations, may be worded otherwise than it is.
 */
public final class TestLedger implements AutoCloseable {
    private static final Vertx VERTX = Vertx.vertx();
    private static final Duration MIGRATED = Duration.ofSeconds(60);

    public final RushConfig config = new SmallRyeConfigBuilder().withMapping(RushConfig.class)
            .withDefaultValues(Map.of("rush.orders.sink", "postgres", "rush.partitions", "8",
                    "rush.ledger.lock-timeout", "PT0.2S")).build()
            .getConfigMapping(RushConfig.class);
    public final Partitions partitions = new Partitions(8);
    public final Ledger ledger;
    final SaleLedger sales;
    final RainLedger rains;
    final Statuses statuses;
    private final KnownIds known;
    private final BatchStore store;
    private final Leases leases;
    private final String url;
    private final RewrittenSource source;
    private int ids;

    /** The ledger of an empty database, with the SQL as it is. */
    public TestLedger(String url) {
        this(url, SqlRewrite.NONE);
    }

    TestLedger(String url, SqlRewrite rewrite) {
        this.url = url;
        source = new RewrittenSource(url, rewrite);
        ledger = new Ledger(source.sources(), RewrittenSource.migrations("db/migration"), VERTX,
                config);
        known = new KnownIds(ledger, partitions, config);
        sales = new SaleLedger(ledger, known);
        rains = new RainLedger(ledger, partitions, known);
        statuses = new Statuses(ledger);
        store = new BatchStore(ledger, new OrderRows(new SaleTerms(config)), new GrabRows());
        leases = leases();
        ledger.start(null);
        Await.until("the schema is there", MIGRATED, ledger::isReady);
    }

    /** Another writer's view of who reads what. */
    Leases leases() {
        return leases(Set.of());
    }

    /** As {@link #leases()}, of one that cannot read these partitions. */
    Leases leases(Set<Integer> refused) {
        return new Leases(ledger, partitions, () -> refused, config);
    }

    <T> T transact(Ledger.Work<T> work) {
        return ledger.transact(work);
    }

    /** A name that was not there before. */
    String id(String kind) {
        return kind + "-" + ++ids;
    }

    /** Enters and releases a sale of items "sku:total:limit". */
    public String sale(boolean returnsLimit, String... items) {
        String sale = id("sale");
        prepare(sale, returnsLimit, items);
        sales.loaded(sale, shards(sale), "epoch").join();
        return sale;
    }

    SaleLedger.Entry prepare(String sale, boolean returnsLimit, String... items) {
        return sales.prepare(sale, shards(sale), "definition", returnsLimit,
                Arrays.stream(items).map(item -> item.split(":")).map(item -> new SaleLedger.Item(
                        item[0], Long.parseLong(item[1]), Long.parseLong(item[2]))).toList())
                .join();
    }

    /** Where sales lie. */
    public SaleShards saleShards() {
        return new SaleShards(known, ledger, partitions);
    }

    Shards shards(String sale) {
        return partitions.shards(sale, 1);
    }

    int partition(String id) {
        return partitions.of(id).index();
    }

    StreamEntry.Purchase purchase(String sale, String user, String lines) {
        return purchase(sale, user, null, lines, 0);
    }

    StreamEntry.Purchase purchase(String sale, String user, String key, String lines,
            long payBy) {
        UUID order = UUID.randomUUID();
        return new StreamEntry.Purchase("0-1", order, sale, user,
                key == null ? order.toString() : key, "=", lines, "1",
                StreamEntry.quantities(lines), 1, payBy, 1);
    }

    /** Stores under the partition's present token. */
    Batch store(StreamEntry.Purchase... purchases) {
        int partition = partition(purchases[0].sale());
        return store(partition, leases.renew().get(partition), purchases);
    }

    Batch store(int partition, long token, StreamEntry... entries) {
        return store.store(partition, token, List.of(entries));
    }

    Batch grab(StreamEntry.Grab... grabs) {
        int partition = partition(grabs[0].rain());
        return store.store(partition, leases.renew().get(partition), List.of(grabs));
    }

    String status(StreamEntry.Purchase purchase) {
        return sql("SELECT status FROM orders WHERE id = '" + purchase.order() + "'");
    }

    String sold(String sale, String sku) {
        return sql("SELECT sold FROM items WHERE sale = '" + sale + "' AND sku = '" + sku + "'");
    }

    /** The first column of the first row, as text, or the number of rows changed. */
    public String sql(String query) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            if (!statement.execute(query)) {
                return Integer.toString(statement.getUpdateCount());
            }
            try (ResultSet row = statement.getResultSet()) {
                return row.next() ? row.getString(1) : null;
            }
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    /** A transaction that has these rows locked until it is closed. */
    Connection locked(String query) throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
        connection.createStatement().execute(query + " FOR UPDATE");
        return connection;
    }

    @Override
    public void close() throws SQLException {
        ledger.stop();
        known.stop(null);
        source.close();
    }
}
