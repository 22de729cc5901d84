package dev.rush.books;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.order.TestLedger;
import dev.rush.redis.Partition;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.ScriptedRedis;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.redis.client.RedisClientType;
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

    private static String retiring() {
        String sale = test.sale(true, "a:9:0");
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
        new Retirement(test.ledger, null, null, gate.commands, test.partitions,
                test.saleShards(), duties(refused), test.config).round();
        assertThat(sales).allSatisfy(sale -> assertThat(state(sale)).isEqualTo(
                test.partitions.of(sale).equals(dead) ? "retiring" : "retired"));
    }
}
