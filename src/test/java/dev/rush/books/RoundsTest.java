package dev.rush.books;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.order.TestLedger;
import dev.rush.redis.Partition;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Await;
import dev.rush.testing.ScriptedRedis;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Work on the books goes from one subject to the next, also past one whose Redis fails. */
class RoundsTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static EmbeddedLedger postgres;
    private static TestLedger test;
    private static ScriptedRedis redis;
    private static Gate gate;
    /** Hash tags of partitions that fail. */
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    /** Hash tags that were called. */
    private final Set<String> called = ConcurrentHashMap.newKeySet();
    private final Set<Integer> refused = new HashSet<>();

    @BeforeAll
    static void start() {
        postgres = EmbeddedLedger.start();
        test = new TestLedger(postgres.freshDatabase());
        redis = ScriptedRedis.start();
        gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()), Map.of(),
                loss -> { });
    }

    @AfterAll
    static void stop() throws Exception {
        gate.close();
        redis.close();
        test.close();
        postgres.close();
    }

    @BeforeEach
    void prepare() {
        test.sql("DELETE FROM duties");
        test.sql("DELETE FROM losses");
        test.sql("UPDATE sales SET state = 'retired'");
        redis.answer(this::answer);
    }

    /** An empty stream, and a script that retires; an error for a partition that fails. */
    private String answer(List<String> words) {
        String key = words.stream().filter(word -> word.startsWith("rush:{")).findFirst()
                .orElseThrow();
        String tag = key.substring(key.indexOf('{') + 1, key.indexOf('}'));
        called.add(tag);
        return failing.contains(tag) ? ScriptedRedis.error("LAYOUT 96")
                : words.get(0).equals("XRANGE") ? ScriptedRedis.list(List.of())
                : ScriptedRedis.text("retired");
    }

    private Duties duties(Set<Integer> refused) {
        return new Duties(test.ledger, () -> false, () -> refused);
    }

    private Losses losses() {
        return new Losses(test.ledger, test.partitions, new StreamScan(gate.commands, test.config),
                null, duties(refused), test.config, new SimpleMeterRegistry());
    }

    private static void lose(Partition partition) {
        test.sql("INSERT INTO losses (partition, low, high, noticed_at_ms) VALUES ("
                + partition.index() + ", 1, 3, 1)");
    }

    private static String lost(Partition partition) {
        return test.sql("SELECT lost FROM losses WHERE restored_at IS NOT NULL AND partition = "
                + partition.index());
    }

    @Test
    @DisplayName("B4: a loss that cannot be mended now keeps no other waiting")
    void lossesAreMendedPastOneThatFails() {
        test.partitions.all().forEach(RoundsTest::lose);
        Partition dead = test.partitions.all().get(3);
        Partition unknown = test.partitions.all().get(5);
        failing.add(dead.tag());
        refused.add(unknown.index());
        losses().round();
        assertThat(test.partitions.all()).allSatisfy(partition -> assertThat(lost(partition))
                .isEqualTo(partition.equals(dead) || partition.equals(unknown) ? null : "2"));
        assertThat(called).contains(dead.tag()).doesNotContain(unknown.tag());
    }

    private static String sale() {
        String sale = test.sale(true, "a:9:0");
        test.sql("UPDATE sales SET definition = '{}' WHERE sale = '" + sale + "'");
        return sale;
    }

    private static String retiring() {
        String sale = sale();
        test.sql("UPDATE sales SET state = 'retiring', retired_at = now() - interval '1 hour' "
                + "WHERE sale = '" + sale + "'");
        return sale;
    }

    private static String state(String sale) {
        return test.sql("SELECT state FROM sales WHERE sale = '" + sale + "'");
    }

    @Test
    @DisplayName("I14: a sale that cannot leave Redis now keeps no other there")
    void salesLeavePastOneThatFails() {
        List<String> sales = List.of(retiring(), retiring(), retiring(), retiring(), retiring(),
                retiring(), retiring(), retiring());
        Partition dead = test.partitions.of(sales.get(3));
        failing.add(dead.tag());
        retirement(duties(refused)).round();
        assertThat(sales).allSatisfy(sale -> assertThat(state(sale)).isEqualTo(
                test.partitions.of(sale).equals(dead) ? "retiring" : "retired"));
    }

    private Retirement retirement(Duties duties) {
        return new Retirement(test.ledger, null, null, gate.commands, test.partitions,
                test.saleShards(), duties, test.config);
    }

    private Watch watch(Duties duties) {
        StreamScan streams = new StreamScan(gate.commands, test.config);
        SaleSnapshots snapshots = new SaleSnapshots(test.saleShards(), gate.commands);
        return new Watch(test.ledger, new Books(test.ledger, snapshots, streams),
                new RainBooks(test.ledger, gate.commands, test.partitions, streams), losses(),
                duties, snapshots, streams, test.config, new SimpleMeterRegistry());
    }

    private static boolean isHeld(String duty) {
        return test.sql("SELECT holder FROM duties WHERE until > now() AND duty = '" + duty
                + "'") != null;
    }

    /** That of a new sale, and another one. */
    private static Partition partitionBeside(Partition taken) {
        Partition partition = test.partitions.of(sale());
        return partition.equals(taken) ? partitionBeside(taken) : partition;
    }

    @Test
    @DisplayName("B1, X7: the books of partitions that a pod refuses are left to another pod")
    void booksOfRefusedPartitionsAreLeftToAnotherPod() {
        Partition unknown = test.partitions.of(sale());
        Partition known = partitionBeside(unknown);
        test.partitions.all().forEach(partition -> failing.add(partition.tag()));
        watch(duties(refused)).round();
        assertThat(called).contains(known.tag(), unknown.tag());
        assertThat(isHeld("books")).as("by a pod that can read all").isTrue();

        test.sql("DELETE FROM duties");
        called.clear();
        refused.add(unknown.index());
        Watch refusing = watch(duties(refused));
        refusing.round();
        assertThat(called).contains(known.tag()).doesNotContain(unknown.tag());
        assertThat(isHeld("books")).isFalse();
        called.clear();
        Await.until("it checks again, as nobody else does", SOON, () -> {
            refusing.round();
            return called.contains(known.tag());
        });
        watch(duties(Set.of())).round();
        assertThat(called).contains(unknown.tag());
        assertThat(isHeld("books")).isTrue();
    }

    @Test
    @DisplayName("X7: a pod that refuses partitions passes over a round after each of its own")
    void everyOtherRoundIsLeftToAnotherPod() {
        Partition dead = test.partitions.of(retiring());
        failing.add(dead.tag());
        refused.add((dead.index() + 1) % test.partitions.count());
        Retirement refusing = retirement(duties(refused));
        for (boolean works : new boolean[] {true, false, true, false}) {
            called.clear();
            refusing.round();
            assertThat(called.contains(dead.tag())).isEqualTo(works);
            assertThat(isHeld("retirement")).isFalse();
        }
    }
}
