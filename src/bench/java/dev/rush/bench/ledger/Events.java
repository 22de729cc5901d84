package dev.rush.bench.ledger;

import dev.rush.bench.MachineLoad;
import dev.rush.bench.rush.Operator;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.dev.Ports;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Compares the rate of order events with the rate at which orders are stored. Each round stores
 * the same number of orders four times: alone, with a reader that follows the feed, with the feed
 * read afterwards, and with a webhook that answers at once.
 */
public final class Events {
    private static final int PARTITION = 7;
    /** Rounds that do not count, while the JVM compiles. */
    private static final int WARM_UP = 4;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final String HEADER =
            "round   stored   stored and followed   feed alone   webhook"
            + "   followed ÷ stored   feed ÷ stored";

    private final int orders = Integer.getInteger("events.orders", 60_000);
    private final int rounds = Integer.getInteger("events.rounds", 5);
    private final int batch = Integer.getInteger("ledger.batch", 2_000);
    private final Vertx vertx = Vertx.vertx();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AtomicLong delivered = new AtomicLong();
    private final int port = Ports.free();
    private final List<double[]> counted = new ArrayList<>();
    private String cursor = "1.0.0";

    private Events() {
    }

    /** Measures and prints the results. */
    public static void main(String[] args) throws Exception {
        System.out.println(MachineLoad.before());
        Events events = new Events();
        try {
            events.run();
        } finally {
            events.vertx.close();
        }
        System.out.println(MachineLoad.after());
    }

    private void run() throws Exception {
        vertx.createHttpServer().requestHandler(request -> request.body().onSuccess(body -> {
            delivered.incrementAndGet();
            request.response().setStatusCode(204).end();
        })).listen(port, "127.0.0.1").toCompletionStage().toCompletableFuture().join();
        Partition partition = PARTITIONS.all().get(PARTITION);
        try (EmbeddedRedis redis = EmbeddedRedis.startDurable("--auto-aof-rewrite-percentage", "0");
                EmbeddedLedger server = EmbeddedLedger.start()) {
            String url = server.freshDatabase();
            Map<String, String> config = Map.of("rush.orders.sink", "postgres",
                    "rush.books.interval", "PT60S", "quarkus.redis.hosts", redis.url(),
                    "quarkus.datasource.jdbc.url", url, "rush.webhooks.allow-http", "true",
                    "rush.webhooks.allowed-networks", "127.0.0.0/8",
                    "rush.writer.batch", Integer.toString(batch), Pod.COMPILER_LEVEL, "4",
                    Pod.NEW_RATIO, "2");
            try (Pod pod = Pod.start("events-bench", config);
                    Resp resp = Resp.connect(redis.port(), LIMIT);
                    Drain drain = new Drain(url, resp, partition)) {
                awaitReaders(url);
                System.out.printf("%d orders a round, events a second%n%s%n", orders, HEADER);
                for (int round = 1 - WARM_UP; round <= rounds; round++) {
                    round(round, pod, resp, partition, drain);
                }
            }
        }
        System.out.printf(Locale.ROOT, "medians: %.0f stored, %.0f followed (%.2f), %.0f by feed"
                + " alone (%.2f), %.0f by webhook%n", median(0), median(1), median(4), median(2),
                median(5), median(3));
    }

    private void round(int round, Pod pod, Resp resp, Partition partition, Drain drain)
            throws Exception {
        String stored = fill(pod, resp, partition, round + "-stored");
        Drain.Drained plain = resume(pod, () -> drain.watch(stored, orders));
        follow(pod, orders);
        String followed = fill(pod, resp, partition, round + "-followed");
        long[] from = new long[1];
        double seconds = resume(pod, () -> {
            from[0] = System.nanoTime();
            follow(pod, orders);
            return (System.nanoTime() - from[0]) / 1e9;
        });
        String read = fill(pod, resp, partition, round + "-read");
        resume(pod, () -> drain.watch(read, orders));
        from[0] = System.nanoTime();
        follow(pod, orders);
        double alone = (System.nanoTime() - from[0]) / 1e9;
        double webhook = webhook(round, pod, resp, partition);
        double[] rates = {plain.orders() / plain.seconds(), orders / seconds, orders / alone,
            orders / webhook, 0, 0};
        rates[4] = rates[1] / rates[0];
        rates[5] = rates[2] / rates[0];
        System.out.printf(Locale.ROOT, "%5s %8.0f %21.0f %12.0f %9.0f %19.2f %15.2f%n",
                round < 1 ? "warm" : Integer.toString(round), rates[0], rates[1], rates[2],
                rates[3], rates[4], rates[5]);
        if (round > 0) {
            counted.add(rates);
        }
    }

    private double webhook(int round, Pod pod, Resp resp, Partition partition) throws Exception {
        call(pod, "PUT", "/v1/webhooks/bench", "{\"url\":\"http://127.0.0.1:" + port
                + "/\",\"types\":[\"dev.rush.order.*\"],\"secret\":"
                + "\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"}");
        delivered.set(0);
        fill(pod, resp, partition, round + "-delivered");
        double seconds = resume(pod, () -> {
            long from = System.nanoTime();
            Await.until("all events are delivered", LIMIT, () -> delivered.get() >= orders,
                    () -> delivered.get() + pod.log());
            return (System.nanoTime() - from) / 1e9;
        });
        call(pod, "DELETE", "/v1/webhooks/bench", null);
        follow(pod, orders);
        return seconds;
    }

    /** A measurement that runs while the pod works. */
    @FunctionalInterface
    private interface Measurement<T> {

        T run() throws Exception;
    }

    private static <T> T resume(Pod pod, Measurement<T> measurement) throws Exception {
        signal("CONT", pod);
        return measurement.run();
    }

    /** Stops the pod and fills the stream with orders of a new sale. Returns the sale. */
    private String fill(Pod pod, Resp resp, Partition partition, String name)
            throws IOException, InterruptedException {
        int suffix = 0;
        String sale;
        do {
            sale = "sale-" + name + "-" + suffix++;
        } while (PARTITIONS.of(sale).index() != PARTITION);
        new Operator(pod.baseUri()).prepare("/v1/sales/" + sale,
                "{\"items\":[{\"sku\":\"apple\",\"total\":" + (orders + 1)
                        + ",\"limitPerUser\":1}]}");
        signal("STOP", pod);
        Buying.buy(resp, partition, sale, orders);
        return sale;
    }

    /** Reads the feed until it has returned a number of further order events. */
    private void follow(Pod pod, int wanted) throws IOException, InterruptedException {
        for (int seen = 0; seen < wanted;) {
            String page = call(pod, "GET", "/v1/events?limit=1000&wait=5&after=" + cursor, null);
            for (int at = page.indexOf("\"dev.rush.order."); at >= 0;
                    at = page.indexOf("\"dev.rush.order.", at + 1)) {
                seen++;
            }
            int next = page.lastIndexOf("\"next\":\"") + 8;
            cursor = page.substring(next, page.indexOf('"', next));
        }
    }

    private String call(Pod pod, String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(pod.baseUri() + path))
                .header("X-User-Id", "bench").header("X-User-Roles", "operator")
                .header("Content-Type", "application/json");
        return client.send(request.method(method, body == null ? BodyPublishers.noBody()
                : BodyPublishers.ofString(body)).build(), BodyHandlers.ofString()).body();
    }

    /** Backdates the check of the new epoch, because readers wait until it is a minute old. */
    private static void awaitReaders(String url) {
        Await.until("the ledger has been checked against Redis", LIMIT, () -> {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                return statement.executeUpdate("UPDATE ledger SET checked_at = checked_at"
                        + " - interval '2 minutes' WHERE server <> 0") == 1;
            } catch (SQLException e) {
                return false;
            }
        });
    }

    private double median(int column) {
        double[] sorted = counted.stream().mapToDouble(rates -> rates[column]).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private static void signal(String signal, Pod pod) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, Long.toString(pod.pid())).start().waitFor();
    }
}
