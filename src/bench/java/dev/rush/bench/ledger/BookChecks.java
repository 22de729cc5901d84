package dev.rush.bench.ledger;

import dev.rush.bench.MachineLoad;
import dev.rush.bench.rush.Operator;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/**
 * Measures the cost of book checks with many open sales, two of them large, and how soon a missing
 * unit is noticed. The service runs with its defaults.
 */
public final class BookChecks {
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int LARGE_SALES = 2;
    private static final int PORTION = 100_000;

    private final int sales = Integer.getInteger("books.sales", 200);
    private final int orders = Integer.getInteger("books.orders", 1_000_000);
    private final int seconds = Integer.getInteger("books.seconds", 60);
    private final String interval = System.getProperty("books.interval", "PT10S");

    private BookChecks() {
    }

    /** Measures and prints the results. */
    public static void main(String[] args) throws Exception {
        System.out.println(MachineLoad.before());
        new BookChecks().run();
    }

    private void run() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.startDurable("--save", "");
                EmbeddedLedger server = EmbeddedLedger.start()) {
            String url = server.freshDatabase();
            Map<String, String> config = Map.of("rush.orders.sink", "postgres",
                    "rush.books.interval", interval, Pod.NEW_RATIO, "2",
                    "quarkus.redis.hosts", redis.url(), "quarkus.datasource.jdbc.url", url);
            try (Pod pod = Pod.start("book-checks", config);
                    Resp resp = Resp.connect(redis.port(), LIMIT);
                    Connection control = DriverManager.getConnection(url)) {
                prepare(pod);
                for (int i = 0; i < LARGE_SALES; i++) {
                    buy(resp, control, "sale-" + i);
                }
                System.out.printf("%d open sales, %d of them with %d orders each%n", sales,
                        LARGE_SALES, orders);
                measureCost("no purchases", pod, redis, control, () -> Await.sleep(1_000));
                int[] late = {0};
                measureCost("one order a second in each large sale", pod, redis, control, () -> {
                    for (int i = 0; i < LARGE_SALES; i++) {
                        buyMore(resp, "sale-" + i, "late-" + late[0]);
                    }
                    late[0]++;
                    Await.sleep(1_000);
                });
                measureDetection(pod, resp);
            }
        }
    }

    private void prepare(Pod pod) {
        Operator operator = new Operator(pod.baseUri());
        for (int i = 0; i < sales; i++) {
            String path = "/v1/sales/sale-" + i;
            String json = "{\"items\":[{\"sku\":\"apple\",\"total\":" + 2 * orders
                    + ",\"limitPerUser\":1}]}";
            if (i == 0) {
                // The schema is created in the background.
                Await.until("the ledger is available", LIMIT, () -> pod.api().asOperator()
                        .put(path, json).status() == 201);
            } else {
                operator.prepare(path, json);
            }
        }
    }

    private void buy(Resp redis, Connection control, String sale) {
        for (int bought = 0; bought < orders; bought += PORTION) {
            Buying.buy(redis, PARTITIONS.of(sale), sale, "b" + bought + "-",
                    Math.min(PORTION, orders - bought));
        }
        Await.until("PostgreSQL has all orders", LIMIT, () -> sold(control, sale) == orders);
    }

    private static void buyMore(Resp redis, String sale, String user) {
        Buying.buy(redis, PARTITIONS.of(sale), sale, user + "-", 1);
    }

    private static long sold(Connection control, String sale) {
        try (PreparedStatement select = control.prepareStatement(
                "SELECT sold FROM items WHERE sale = ? AND sku = 'apple'")) {
            select.setString(1, sale);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : -1;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Measures the CPU time of all processes while an action of about a second repeats. */
    private void measureCost(String name, Pod pod, EmbeddedRedis redis, Connection control,
            Runnable action) throws SQLException {
        Await.sleep(15_000);
        Cpu before = Cpu.ofWriter(pod, redis, control);
        long begun = System.nanoTime();
        long end = begun + seconds * 1_000_000_000L;
        while (System.nanoTime() < end) {
            action.run();
        }
        Cpu used = Cpu.ofWriter(pod, redis, control)
                .since(before, (int) ((System.nanoTime() - begun) / 1_000_000));
        System.out.printf(Locale.ROOT, "%s: %.2f %% of a CPU in the pod, %.2f %% in Redis, "
                + "%.2f %% in PostgreSQL%n", name, used.client() / 10, used.redis() / 10,
                used.server() / 10);
    }

    /** Makes a sale lack a unit and measures the time until the drift is reported. */
    private static void measureDetection(Pod pod, Resp redis) {
        String sale = "sale-0";
        Partition partition = PARTITIONS.of(sale);
        double before = pod.metric("rush_books_drift");
        redis.command("HINCRBY", partition.key("sale:" + sale + ":stock"), "apple:ordered", "1");
        long begun = System.nanoTime();
        Await.until("the drift is reported", Duration.ofMinutes(2),
                () -> pod.metric("rush_books_drift") > before);
        System.out.printf(Locale.ROOT, "a missing unit was reported after %.1f s%n",
                (System.nanoTime() - begun) / 1e9);
    }
}
