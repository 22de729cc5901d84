package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.order.StreamEntry.Purchase;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.ScriptedRedis;
import io.vertx.redis.client.RedisClientType;
import jakarta.enterprise.event.Event;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What one partition cannot be given back keeps nothing from the others. */
class CreditsTest {
    private static final int PAGE = 500;
    private static EmbeddedLedger postgres;
    private static TestLedger test;
    private static ScriptedRedis redis;
    private static Gate gate;
    /** Hash tags of partitions that fail. */
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    /** Hash tags that were called. */
    private final Set<String> called = ConcurrentHashMap.newKeySet();
    private final Set<Integer> refused = new HashSet<>();
    private Credits credits;

    @BeforeAll
    static void start() {
        postgres = EmbeddedLedger.start();
        test = new TestLedger(postgres.freshDatabase(), SqlRewrite.NONE);
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
        test.sql("UPDATE orders SET credit = 'done' WHERE credit = 'pending'");
        redis.answer(this::credit);
        credits = new Credits(test.ledger, gate.commands, test.partitions, () -> refused,
                event(), test.config);
    }

    /** The credit script: three arguments for each order, a word back. */
    private String credit(List<String> words) {
        int keys = Integer.parseInt(words.get(2));
        String tag = words.get(3).substring(words.get(3).indexOf('{') + 1,
                words.get(3).indexOf('}'));
        called.add(tag);
        return failing.contains(tag) ? ScriptedRedis.error("LAYOUT 96")
                : ScriptedRedis.list(Collections.nCopies((words.size() - 3 - keys) / 3,
                        ScriptedRedis.text("credited")));
    }

    @SuppressWarnings("unchecked")
    private static Event<StockReturned> event() {
        return (Event<StockReturned>) Proxy.newProxyInstance(Event.class.getClassLoader(),
                new Class<?>[] {Event.class}, (self, method, arguments) -> null);
    }

    private static String tag(String sale) {
        return test.partitions.of(sale).tag();
    }

    private static String saleBeside(String sale) {
        String other = test.sale(true, "a:9:0");
        return tag(other).equals(tag(sale)) ? saleBeside(sale) : other;
    }

    private static Purchase ended(String sale) {
        Purchase order = test.purchase(sale, "u", "a:1");
        test.store(order);
        test.ledger.transact(connection -> ReturnRows.end(connection,
                ReturnRows.byOrder(connection, sale, order.order())));
        test.sql("UPDATE orders SET ended_at = now() - interval '9 seconds' WHERE id = '"
                + order.order() + "'");
        return order;
    }

    private static Credits.Due due(Purchase order) {
        return new Credits.Due(order.order(), order.sale(), order.user(),
                test.partition(order.sale()), false);
    }

    private static String mark(UUID order) {
        return test.sql("SELECT credit FROM orders WHERE id = '" + order + "'");
    }

    @Test
    @DisplayName("I11: what Redis was given is marked, also beside a partition that fails")
    void whatWasGivenIsMarked() {
        String dead = test.sale(true, "a:9:0");
        failing.add(tag(dead));
        Purchase kept = ended(dead);
        Purchase given = ended(saleBeside(dead));
        assertThatThrownBy(() -> credits.give(List.of(due(kept), due(given))).join())
                .isInstanceOf(CompletionException.class).hasMessageContaining("LAYOUT");
        assertThat(List.of(mark(kept.order()), mark(given.order())))
                .containsExactly("pending", "done");

        failing.clear();
        assertThat(credits.give(List.of(due(kept))).join())
                .isEqualTo(Map.of(kept.order(), "credited"));
        assertThat(mark(kept.order())).isEqualTo("done");
    }

    @Test
    @DisplayName("I11: a partition that fails, with a page of credits, holds up no other's")
    void otherPartitionsAreTried() {
        String dead = test.sale(true, "a:9:0");
        failing.add(tag(dead));
        test.sql("INSERT INTO orders SELECT gen_random_uuid(), '" + dead + "', 'u', 'k' || n, "
                + "'=', 'a:1', '1', 'returned', 1, 0, " + test.partition(dead) + ", n, "
                + "'pending', now() - interval '1 hour' FROM generate_series(1, " + PAGE
                + ") AS n");
        Purchase young = ended(saleBeside(dead));
        credits.retry();
        assertThat(mark(young.order())).isEqualTo("done");
        assertThat(called).contains(tag(dead));
        assertThat(test.sql("SELECT count(*) FROM orders WHERE credit = 'pending'"))
                .isEqualTo(Integer.toString(PAGE));
    }

    @Test
    @DisplayName("X7: credits of a partition whose layout is not known are left to other pods")
    void refusedPartitionsAreLeftOut() {
        String unknown = test.sale(true, "a:9:0");
        refused.add(test.partition(unknown));
        Purchase kept = ended(unknown);
        Purchase given = ended(saleBeside(unknown));
        credits.retry();
        assertThat(List.of(mark(kept.order()), mark(given.order())))
                .containsExactly("pending", "done");
        assertThat(called).doesNotContain(tag(unknown));
    }
}
