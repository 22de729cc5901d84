package dev.rush.bench.ledger;

import dev.rush.bench.Quiet;
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
 * What the checks of the books cost with many open sales, some of them with very many orders, and
 * how soon one unit that is missing is noticed. The service runs with its own defaults.
 */
public final class BookChecks {
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int BIG = 2;
    private static final int PART = 100_000;

    private final int sales = Integer.getInteger("books.sales", 200);
    private final int orders = Integer.getInteger("books.orders", 1_000_000);
    private final int seconds = Integer.getInteger("books.seconds", 60);
    private final String interval = System.getProperty("books.interval", "PT10S");

    private BookChecks() {
    }

    /** Measures, and prints what came of it. */
    public static void main(String[] args) throws Exception {
        System.out.println(Quiet.sentence());
        new BookChecks().run();
    }

    private void run() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start("--save", "");
                EmbeddedLedger server = EmbeddedLedger.start()) {
            String url = server.freshDatabase();
            Map<String, String> config = Map.of("rush.orders.sink", "postgres",
                    "rush.books.interval", interval,
                    "quarkus.redis.hosts", redis.url(), "quarkus.datasource.jdbc.url", url);
            try (Pod pod = Pod.start("book-checks", config);
                    Resp resp = Resp.connect(redis.port(), LIMIT);
                    Connection control = DriverManager.getConnection(url)) {
                prepare(pod);
                for (int i = 0; i < BIG; i++) {
                    buy(resp, control, "sale-" + i);
                }
                System.out.printf("%d open sales, %d of them with %d orders each%n", sales, BIG,
                        orders);
                cost("nothing is bought", pod, redis, control, () -> Await.sleep(1_000));
                int[] more = {0};
                cost("one order a second in each of the large ones", pod, redis, control, () -> {
                    for (int i = 0; i < BIG; i++) {
                        buyMore(resp, "sale-" + i, "late-" + more[0]);
                    }
                    more[0]++;
                    Await.sleep(1_000);
                });
                plant(pod, resp);
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
                // The schema comes in the background.
                Await.until("the ledger is there", LIMIT, () -> pod.api().asOperator()
                        .put(path, json).status() == 201);
            } else {
                operator.prepare(path, json);
            }
        }
    }

    private void buy(Resp redis, Connection control, String sale) {
        for (int bought = 0; bought < orders; bought += PART) {
            Buying.buy(redis, PARTITIONS.of(sale), sale, "b" + bought + "-",
                    Math.min(PART, orders - bought));
        }
        Await.until("the ledger has them all", LIMIT, () -> sold(control, sale) == orders);
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

    /** Processor time of all processes, whatever for, in a while in which they do as is said. */
    private void cost(String what, Pod pod, EmbeddedRedis redis, Connection control,
            Runnable second) throws SQLException {
        Await.sleep(15_000);
        Cpu before = Cpu.ofWriter(pod, redis, control);
        long begun = System.nanoTime();
        long end = begun + seconds * 1_000_000_000L;
        while (System.nanoTime() < end) {
            second.run();
        }
        Cpu used = Cpu.ofWriter(pod, redis, control)
                .since(before, (int) ((System.nanoTime() - begun) / 1_000_000));
        System.out.printf(Locale.ROOT, "%s: %.2f %% of a processor in the pod, %.2f %% in Redis, "
                + "%.2f %% in PostgreSQL%n", what, used.client() / 10, used.redis() / 10,
                used.server() / 10);
    }

    private static void plant(Pod pod, Resp redis) {
        String sale = "sale-0";
        Partition partition = PARTITIONS.of(sale);
        double before = pod.metric("rush_books_drift");
        redis.command("HINCRBY", partition.key("sale:" + sale + ":stock"), "apple:ordered", "1");
        long begun = System.nanoTime();
        Await.until("it is noticed", Duration.ofMinutes(2),
                () -> pod.metric("rush_books_drift") > before);
        System.out.printf(Locale.ROOT, "a unit that is missing from one of them: noticed after "
                + "%.1f s%n", (System.nanoTime() - begun) / 1e9);
    }
}
