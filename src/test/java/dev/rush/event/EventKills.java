package dev.rush.event;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rush.bench.ledger.Buying;
import dev.rush.bench.ledger.Order;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * E1: repeatedly kills the pod that dispatches webhooks while orders flow through the journal, and
 * checks what a webhook's receiver and a reader of the feed received: each event at least once, an
 * order's events in order, and duplicates unchanged under the same id.
 *
 * <p>{@code ./mvnw -Pevents-kills} does so fifty times with a million orders
 * ({@code -Dkills.orders=}, {@code -Dkills=}).
 */
public final class EventKills implements AutoCloseable {
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String HOOK = "kills";
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    /** One order in this many is never paid. */
    private static final int UNPAID = 10;
    private static final int PAGE = 1_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final EmbeddedLedger server = EmbeddedLedger.start();
    private final Environment environment = Environments.on("event-kills", redis);
    private final Map<String, String> config;
    private final String url;
    private final Pod front;
    private final List<Pod> workers = new ArrayList<>();
    private final Recorder recorder = new Recorder();
    private final Recorder reader = new Recorder();
    private int started;
    private volatile boolean reads = true;

    /** The outcome of a run. */
    record Result(int orders, int kills, long events, double seconds, Tally webhook, Tally feed) {
    }

    /** The events that somebody received: repeated ones are allowed, all others are mistakes. */
    record Tally(long repeated, long missing, long misplaced, long altered) {

        boolean isCorrect() {
            return missing + misplaced + altered == 0;
        }
    }

    EventKills() {
        url = server.freshDatabase();
        config = new HashMap<>(Map.of("rush.orders.sink", "postgres", "rush.role", "api",
                "rush.writer.lease", "PT1S", "rush.webhooks.allow-http", "true",
                "rush.webhooks.allowed-networks", "127.0.0.0/8", "rush.webhooks.timeout",
                "PT0.5S", "rush.webhooks.retry", "PT0.1S", "quarkus.datasource.jdbc.url", url));
        front = Environments.startPod("event-kills-front", environment, config);
        for (int i = 0; i < 2; i++) {
            workers.add(launch());
        }
        workers.forEach(Pod::awaitReady);
    }

    private Pod launch() {
        Map<String, String> all = new HashMap<>(config);
        all.put("rush.role", "all");
        return Environments.launchPod("event-kills-" + started++, environment, all);
    }

    /** Runs with the orders and kills of the properties; exits with 1 after any mistake. */
    public static void main(String[] args) {
        int orders = Integer.getInteger("kills.orders", 1_000_000);
        int kills = Integer.getInteger("kills", 50);
        try (EventKills test = new EventKills()) {
            Result result = test.run(orders, kills);
            System.out.println("| orders | events | kills | delivered by | seconds | events/s"
                    + " | repeated | missing | out of order | altered |");
            System.out.println("|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|");
            show(result, "webhook", result.webhook);
            show(result, "feed", result.feed);
            System.exit(result.webhook.isCorrect() && result.feed.isCorrect() ? 0 : 1);
        }
    }

    private static void show(Result result, String receiver, Tally tally) {
        System.out.printf("| %d | %d | %d | %s | %.0f | %.0f | %d | %d | %d | %d |%n",
                result.orders, result.events, result.kills, receiver, result.seconds,
                result.events / result.seconds, tally.repeated, tally.missing, tally.misplaced,
                tally.altered);
    }

    /** Lets orders flow, and kills the leading pod while they do. */
    Result run(int orders, int kills) {
        int unpaid = orders / UNPAID;
        int paid = orders - unpaid;
        prepare("kills-paid", "");
        prepare("kills-unpaid", ",\"paymentWindow\":\"PT1S\"");
        Await.until("the webhook is stored", LIMIT, () -> front.api().asOperator().put(
                "/v1/webhooks/" + HOOK, "{\"url\":\"" + recorder.url() + "\",\"secret\":\""
                + SECRET + "\",\"types\":[\"dev.rush.order.*\"]}").status() < 300, front::log);
        awaitReaders();
        Thread feed = follow();
        long begun = System.nanoTime();
        List<Order> reserved = buy("kills-unpaid", unpaid);
        List<Order> confirmed = buy("kills-paid", paid);
        long events = paid + 2L * unpaid;
        for (int kill = 1; kill <= kills; kill++) {
            long from = events * kill / (kills + 1);
            awaitEvents(recorder, from);
            kill(kill);
        }
        awaitEvents(recorder, events);
        awaitEvents(reader, events);
        reads = false;
        awaitEnd(feed);
        double seconds = (recorder.lastNanos() - begun) / 1e9;
        return new Result(orders, kills, events, seconds, tally(recorder, reserved, confirmed),
                tally(reader, reserved, confirmed));
    }

    private void prepare(String sale, String more) {
        Await.until(sale + " is prepared", LIMIT, () -> front.api().asOperator()
                .put("/v1/sales/" + sale, "{\"items\":[{\"sku\":\"apple\",\"total\":"
                        + "10000000,\"limitPerUser\":1}]" + more + "}").status() == 201,
                front::log);
    }

    /** Ages the epoch: readers of the feed enter a new one only when it is a minute old. */
    private void awaitReaders() {
        Await.until("the ledger is compared with Redis", LIMIT, () -> {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                return statement.executeUpdate("UPDATE ledger SET checked_at = checked_at"
                        + " - interval '2 minutes' WHERE server <> 0") == 1;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private List<Order> buy(String sale, int orders) {
        Partition partition = PARTITIONS.of(sale);
        try (Resp resp = Resp.connect(redis.port())) {
            return Buying.buy(resp, partition, sale, orders);
        }
    }

    private void awaitEvents(Recorder from, long count) {
        long[] last = {from.events()};
        while (from.events() < count) {
            Await.until("more events come after " + last[0] + " of " + count, LIMIT,
                    () -> from.events() > last[0] || from.events() >= count,
                    () -> front.log() + workers.get(0).log() + workers.get(1).log());
            last[0] = from.events();
        }
    }

    /** Kills the leader: the pod that reports metrics of webhooks. */
    private void kill(int number) {
        int[] leader = {-1};
        Await.until("a pod leads", LIMIT, () -> {
            leader[0] = leader();
            return leader[0] >= 0;
        }, () -> workers.get(0).log() + workers.get(1).log());
        Pod killed = workers.get(leader[0]);
        killed.kill();
        System.out.printf("kill %d at %d events%n", number, recorder.events());
        killed.close();
        Pod next = launch();
        workers.set(leader[0], next);
        next.awaitReady();
    }

    private int leader() {
        for (int i = 0; i < workers.size(); i++) {
            if (workers.get(i).metrics().contains("rush_webhook_waiting{")) {
                return i;
            }
        }
        return -1;
    }

    private static void awaitEnd(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Thread follow() {
        Thread thread = new Thread(() -> {
            String cursor = "1.0.0";
            while (reads) {
                Answer answer = front.api().asOperator().get(
                        "/v1/events?wait=1&limit=" + PAGE + "&after=" + cursor);
                if (answer.status() == 200) {
                    for (JsonNode event : answer.body().path("events")) {
                        if (event.path("type").asText().startsWith(EventTypes.ORDER)) {
                            reader.add(text(event));
                        }
                    }
                    cursor = answer.body().path("next").asText();
                }
            }
        }, "feed");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static String text(JsonNode event) {
        try {
            return JSON.writeValueAsString(event);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Tally tally(Recorder from, List<Order> unpaid, List<Order> paid) {
        long[] mistakes = new long[2];
        unpaid.forEach(order -> judge(from.kinds(order.id()), List.of("reserved", "expired"),
                mistakes));
        paid.forEach(order -> judge(from.kinds(order.id()), List.of("confirmed"), mistakes));
        return new Tally(from.repeated(), mistakes[0], mistakes[1], from.altered());
    }

    private static void judge(List<String> kinds, List<String> expected, long[] mistakes) {
        if (!kinds.containsAll(expected)) {
            mistakes[0]++;
        } else if (!kinds.equals(expected)) {
            mistakes[1]++;
        }
    }

    @Override
    public void close() {
        reads = false;
        workers.forEach(Pod::close);
        front.close();
        recorder.close();
        reader.close();
        redis.close();
        server.close();
    }
}
