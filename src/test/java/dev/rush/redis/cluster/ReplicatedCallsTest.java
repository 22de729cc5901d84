package dev.rush.redis.cluster;

import static dev.rush.testing.ScriptedRedis.CUT;
import static dev.rush.testing.ScriptedRedis.SILENCE;
import static dev.rush.testing.ScriptedRedis.error;
import static dev.rush.testing.ScriptedRedis.list;
import static dev.rush.testing.ScriptedRedis.number;
import static dev.rush.testing.ScriptedRedis.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Script;
import dev.rush.redis.batch.BatchTarget;
import dev.rush.testing.Await;
import dev.rush.testing.ScriptedRedis;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** D1: a call under {@code replicas} succeeds only if its WAIT found enough replicas. */
class ReplicatedCallsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Map<String, String> SETTINGS = Map.of("rush.deadline", "PT8S",
            "rush.redis.silence", "PT1.5S", "rush.redis.connect", "PT1S");
    private static final Partition PARTITION = Gate.PARTITIONS.all().get(7);
    private static final Script PURCHASE = Script.unfenced("sale/purchase");
    private static final BatchTarget PLAIN = target("plain", false);
    private static final BatchTarget ONE = target("one", true);
    private static final BatchTarget OTHER = target("other", true);
    private static final int REPLICAS = 2;

    private final ScriptedRedis redis = ScriptedRedis.start();
    private final ScriptedRedis second = ScriptedRedis.start();
    /** The connection, the command and, for a call, its first request. */
    private final List<String> received = new CopyOnWriteArrayList<>();
    private volatile String confirmed = number(REPLICAS);
    private volatile CountDownLatch held = new CountDownLatch(0);
    private volatile String nodes = text("id 127.0.0.1:1@2 myself,master - 0 0 1 connected\n"
            + "one 127.0.0.1:3@4 slave id 0 0 1 connected\n"
            + "two 127.0.0.1:5@6 slave,fail id 0 0 1 disconnected\n"
            + "three 127.0.0.1:7@8 slave another 0 0 1 connected\n");
    private volatile String fault;
    private volatile String moved;
    private volatile String owner = "id";
    private Gate gate;

    private static BatchTarget target(String key, boolean replicated) {
        return new BatchTarget(PURCHASE, PARTITION.keys().named(key, "b"), () -> List.of("1000"),
                replicated);
    }

    @BeforeEach
    void start() {
        redis.answer(this::answer);
        gate = new Gate(RedisClientType.CLUSTER, List.of(redis.port()), SETTINGS, loss -> { });
        Await.until("the cluster is known", LIMIT, () -> gate.read());
    }

    @AfterEach
    void stop() throws Exception {
        held.countDown();
        gate.close();
        redis.close();
        second.close();
    }

    private String answer(List<String> words) {
        return switch (words.get(0)) {
            case "CLUSTER" -> switch (words.get(1)) {
                case "INFO" -> text("cluster_state:ok\r\n");
                case "NODES" -> nodes;
                default -> list(List.of(list(List.of(number(0), number(16_383), list(List.of(
                        text("127.0.0.1"), number(owner.equals("id") ? redis.port()
                        : second.port()), text(owner)))))));
            };
            case "WAIT" -> {
                record("WAIT " + words.get(1));
                String now = isBehindFaulty() ? fault : confirmed;
                await(held);
                yield now;
            }
            default -> {
                record("EVAL " + words.get(8));
                yield moved != null ? error(moved) : reply(words);
            }
        };
    }

    private void record(String what) {
        received.add(Thread.currentThread().getId() + " " + what);
    }

    /** Whether this connection has just run a call whose WAIT is to fail. */
    private boolean isBehindFaulty() {
        String connection = Thread.currentThread().getId() + " ";
        List<String> lines = received.stream().filter(line -> line.startsWith(connection)).toList();
        return lines.size() > 1 && lines.get(lines.size() - 2).contains("faulty");
    }

    /** What the connection that received a WAIT has received, in order. */
    private List<String> onTheConnectionOfWaits() {
        String connection = received.stream().filter(line -> line.contains(" WAIT"))
                .map(line -> line.split(" ")[0]).findFirst().orElse("none");
        return received.stream().filter(line -> line.startsWith(connection + " "))
                .map(line -> line.substring(connection.length() + 1)).toList();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String reply(List<String> words) {
        List<String> replies = new ArrayList<>(List.of(number(redis.now()), number(1_000_000)));
        // EVALSHA sha 2 key key head deadline deadlines, then the word of each request.
        words.stream().skip(8).forEach(word -> replies.add(text(word)));
        return list(replies);
    }

    private String submit(BatchTarget target, String word) {
        return outcome(gate.batcher.submit(target, word));
    }

    /** Asks in one turn of the event loop, so that the requests share a call. */
    private List<CompletableFuture<String>> together(String... words) {
        CompletableFuture<List<CompletableFuture<String>>> asked = new CompletableFuture<>();
        gate.router.loop().run(() -> asked.complete(
                Stream.of(words).map(word -> gate.batcher.submit(ONE, word)).toList()));
        return asked.join();
    }

    private static String outcome(CompletableFuture<String> answer) {
        return answer.handle((word, failure) -> failure == null ? word
                : failure instanceof RedisFailure redis ? redis.outcomeClass().name()
                : failure.toString()).join();
    }

    private long calls() {
        return received.stream().filter(line -> line.contains(" EVAL")).count();
    }

    @Test
    @DisplayName("One WAIT covers all calls of its round; plain calls do not wait for it")
    void oneWaitCoversAllCallsOfItsRound() {
        assertThat(submit(ONE, "accepted first")).isEqualTo("accepted first");
        held = new CountDownLatch(1);
        CompletableFuture<String> waiting = gate.batcher.submit(ONE, "accepted second");
        Await.until("it waits for replicas", LIMIT, () -> received.stream()
                .filter(line -> line.contains(" WAIT")).count() == 3);
        List<CompletableFuture<String>> next = List.of(gate.batcher.submit(ONE, "accepted a"),
                gate.batcher.submit(OTHER, "accepted b"), gate.batcher.submit(ONE, "accepted c"));
        assertThat(submit(PLAIN, "accepted plain")).isEqualTo("accepted plain");
        assertThat(waiting).isNotDone();
        assertThat(next).noneMatch(CompletableFuture::isDone);
        held.countDown();
        assertThat(outcome(waiting)).isEqualTo("accepted second");
        next.forEach(answer -> assertThat(outcome(answer)).startsWith("accepted "));
        List<String> rounds = onTheConnectionOfWaits();
        assertThat(rounds).startsWith("WAIT 2", "EVAL accepted first", "WAIT 2")
                .endsWith("WAIT 2").contains("EVAL accepted b")
                .doesNotContain("EVAL accepted plain");
        assertThat(rounds.subList(rounds.indexOf("EVAL accepted second"), rounds.size()))
                .as("%s", rounds).filteredOn(line -> line.startsWith("WAIT")).hasSizeBetween(2, 3);
    }

    @Test
    @DisplayName("Too few replicas: grants are unknown, refusals stand, later calls do not run")
    void tooFewReplicasMakeGrantsUnknown() {
        assertThat(submit(ONE, "accepted first")).isEqualTo("accepted first");
        fault = number(REPLICAS - 1);
        assertThat(together("accepted faulty", "replayed old", "sold-out x").stream()
                .map(ReplicatedCallsTest::outcome))
                .containsExactly("UNKNOWN", "UNKNOWN", "sold-out x");
        confirmed = number(REPLICAS - 1);
        long before = calls();
        assertThat(submit(ONE, "accepted third")).isEqualTo("NOTHING_HAPPENED");
        assertThat(calls()).isEqualTo(before);
        assertThat(submit(PLAIN, "accepted plain")).isEqualTo("accepted plain");
        confirmed = number(REPLICAS + 1);
        assertThat(submit(ONE, "accepted fourth")).isEqualTo("accepted fourth");
    }

    @Test
    @DisplayName("Failed replicas count: too few connected refuse before the script runs")
    void tooFewConnectedRefuseBeforeTheScript() {
        confirmed = number(REPLICAS - 1);
        assertThat(submit(ONE, "accepted first")).isEqualTo("NOTHING_HAPPENED");
        assertThat(calls()).isZero();
        assertThat(onTheConnectionOfWaits()).containsOnly("WAIT " + REPLICAS);
    }

    @Test
    @DisplayName("Nothing is granted while the number of replicas is unknown")
    void nothingRunsWhileReplicasAreUnknown() {
        nodes = error("NOPERM");
        assertThat(gate.read()).isTrue();
        assertThat(submit(ONE, "accepted first")).isEqualTo("NOTHING_HAPPENED");
        assertThat(calls()).isZero();
        assertThat(submit(PLAIN, "accepted plain")).isEqualTo("accepted plain");
    }

    @Test
    @DisplayName("A master without replicas grants nothing: at least one must confirm")
    void masterWithoutReplicasGrantsNothing() {
        nodes = text("id 127.0.0.1:1@2 myself,master - 0 0 1 connected\n");
        confirmed = number(0);
        assertThat(gate.read()).isTrue();
        assertThat(submit(ONE, "accepted first")).isEqualTo("NOTHING_HAPPENED");
        assertThat(onTheConnectionOfWaits()).containsOnly("WAIT 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {CUT, SILENCE, "-UNBLOCKED state changed\r\n", "*-1\r\n", "$1\r\nx\r\n",
        "!!\r\n"})
    @DisplayName("A WAIT that fails in any way makes the outcome unknown, once")
    void failedWaitMakesTheOutcomeUnknown(String reply) {
        assertThat(submit(ONE, "accepted first")).isEqualTo("accepted first");
        fault = reply;
        List<CompletableFuture<String>> answers = IntStream.range(0, 5)
                .mapToObj(i -> gate.batcher.submit(ONE, "accepted faulty " + i)).toList();
        // The WAIT on the connection that follows finds enough replicas, and must not count.
        assertThat(answers.stream().map(ReplicatedCallsTest::outcome)).containsOnly("UNKNOWN");
        assertThat(submit(ONE, "accepted last")).isEqualTo("accepted last");
    }

    @Test
    @DisplayName("After MOVED, the replicas of the node that ran the call count")
    void afterMovedTheOtherNodesReplicasCount() {
        assertThat(submit(ONE, "accepted first")).isEqualTo("accepted first");
        List<String> waits = new CopyOnWriteArrayList<>();
        second.answer(words -> switch (words.get(0)) {
            case "WAIT" -> {
                waits.add(words.get(1));
                yield number(waits.size() == 1 ? 1 : 0);
            }
            case "CLUSTER" -> answer(words);
            default -> reply(words);
        });
        moved = "MOVED " + PARTITION.slot() + " 127.0.0.1:" + second.port();
        owner = "another";
        assertThat(submit(ONE, "accepted second")).isEqualTo("UNKNOWN");
        assertThat(waits).as("its one replica is in step, then too slow").containsExactly("1", "1");
    }
}
