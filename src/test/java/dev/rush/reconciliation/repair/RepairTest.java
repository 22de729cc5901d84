package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.OutcomeCode;
import dev.rush.http.ProblemException;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.OwedCredit;
import dev.rush.reconciliation.repair.Restorer.Restored;
import dev.rush.reconciliation.report.Verdict;
import dev.rush.testing.Await;
import dev.rush.testing.Resp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Orders and credits that Redis lost are restored from the ledger. */
class RepairTest extends RepairScene {
    /** More than are put into the stream before it drains, and a part of that. */
    private static final int MANY = 12_000;
    private static final int PART = 1_000;

    @Test
    void lostOrdersAreRestoredOnce() {
        test.order(sale, "u1", "k", "apple:1", 0);
        UUID returned = test.order(sale, "u2", null, "apple:2", 0);
        credited(giveBack(returned));
        reject("u3", "apple:3", 2);
        assertThat(restorer.restore(sale, MONTH, shards())).isEqualTo(new Restored(3, 0, 0));
        assertThat(stock("ordered")).isEqualTo(4);
        assertThat(stock("credited")).isEqualTo(2);
        assertThat(record("u1")).startsWith("a ").contains(" k = apple:1 ");
        assertThat(record("u2")).startsWith("c " + returned + "  = apple:2 ");
        assertThat(report.books.of(sale).verdict()).isEqualTo(Verdict.BALANCED);
        assertThat(restorer.restore(sale, MONTH, shards())).isEqualTo(Restored.NOTHING);
        assertThat(stock("ordered")).isEqualTo(4);
    }

    @Test
    void lostCreditIsRepeated() {
        UUID order = test.order(sale, "u", null, "apple:2", 0);
        restorer.restore(sale, MONTH, shards());
        OwedCredit owed = giveBack(order);
        assertThat(restorer.restore(sale, MONTH, shards()).credited()).as("still owed").isZero();
        credited(owed);
        assertThat(restorer.restore(sale, MONTH, shards()).credited()).isEqualTo(1);
        assertThat(stock("ordered")).isZero();
        assertThat(stock("credited")).isEqualTo(2);
        assertThat(restorer.restore(sale, MONTH, shards())).isEqualTo(Restored.NOTHING);
    }

    /** The script waits in Redis while the order ends; only this test uses the connection. */
    @Test
    void orderThatEndsWhileItIsRestoredIsCreditedOnce() {
        UUID order = test.order(sale, "u", null, "apple:2", 0);
        redis.command("CLIENT", "PAUSE", "60000", "WRITE");
        CompletableFuture<Restored> restored = CompletableFuture.supplyAsync(() ->
                restorer.restore(sale, MONTH, shards()));
        OwedCredit owed;
        try {
            Await.until("the ledger was read, and the script waits", Duration.ofSeconds(60), () ->
                    redis.text("CLIENT", "LIST").lines().anyMatch(client ->
                            client.contains(" flags=b ") && client.contains(" cmd=evalsha ")),
                    () -> redis.text("CLIENT", "LIST"));
            owed = giveBack(order);
        } finally {
            redis.command("CLIENT", "UNPAUSE");
        }
        assertThat(restored.join()).isEqualTo(new Restored(1, 0, 0));
        assertThat(stock("ordered")).isEqualTo(2);
        assertThat(report.books.of(sale).verdict()).isEqualTo(Verdict.BALANCED);
        assertThat(credit(order)).isEqualTo("credited");
        assertThat(credit(order)).isEqualTo("repeated");
        credited(owed);
        assertThat(restorer.restore(sale, MONTH, shards())).isEqualTo(Restored.NOTHING);
        assertThat(stock("ordered")).isZero();
        assertThat(record("u")).startsWith("c " + order);
        assertThat(report.books.of(sale).verdict()).isEqualTo(Verdict.BALANCED);
    }

    private String credit(UUID order) {
        return gate.commands.script(RepairScripts.CREDIT,
                PARTITION.keys().sale(sale, "conf", "stock", "buyers"),
                List.of("u", order.toString(), "c")).join().texts().get(0);
    }

    @Test
    void ordersAboveALossAreRestored() {
        UUID before = test.order(sale, "u1", null, "apple:1", 0);
        test.sql("UPDATE orders SET seq = 40 WHERE id = '" + before + "'");
        for (int i = 2; i <= 4; i++) {
            UUID order = test.order(sale, "u" + i, null, "apple:1", 0);
            test.sql("UPDATE orders SET seq = 41 WHERE id = '" + order + "'");
        }
        reject("u5", "apple:1", 42);
        fail("u6", UUID.randomUUID(), 1);
        assertThat(restorer.restore(0, 40)).isEqualTo(new Restored(5, 0, 0));
        assertThat(record("u1")).isNull();
        test.sql("DELETE FROM retries");
    }

    /** More than two pages of orders, and more than one of rejected ones. */
    @Test
    void ordersThatShareANumberAreAllRestored() {
        redis.command("HSET", key("stock"), "apple:total", "9999");
        UUID order = test.order(sale, "u", null, "apple:1", 0);
        test.sql("UPDATE orders SET seq = 60 WHERE id = '" + order + "'");
        String copies = " SELECT gen_random_uuid(), month, block, seq, placed_at_ms, pay_by_ms,"
                + " partition, sale, '%s' || i, key, digest, lines, lefts, claim %s"
                + " FROM orders, generate_series(1, %d) AS i WHERE id = '" + order + "'";
        test.sql("INSERT INTO orders" + copies.formatted("kept", "", 1_200));
        test.sql("INSERT INTO rejected" + copies.formatted("refused", ", 'limit'", 700));
        assertThat(restorer.restore(0, 59)).isEqualTo(new Restored(1_901, 0, 0));
    }

    @Test
    void ledgerThatMayHaveLostCommitsRestoresAndRebuildsNothing() {
        test.order(sale, "u", null, "apple:1", 0);
        test.sql("UPDATE partitions SET behind_since = now()");
        assertThatThrownBy(() -> restorer.restore(sale, MONTH, shards()))
                .isInstanceOf(LedgerFailure.class);
        assertThatThrownBy(() -> restorer.restore(0, 0)).isInstanceOf(LedgerFailure.class);
        redis.command("DEL", key("stock"));
        assertThatThrownBy(() -> rebuild.rebuild(sale, MONTH, shards()))
                .isInstanceOf(LedgerFailure.class);
        assertThatThrownBy(() -> Settlement.standIn(
                test.ledger, sale, MONTH, PARTITION, "apple", 1))
                .isInstanceOf(LedgerFailure.class);
        assertThat(record("u")).isNull();
    }

    @Test
    void ordersThatOnlyRedisHasAreRequeued() {
        UUID stored = test.order(sale, "u1", null, "apple:1", 0);
        UUID failed = UUID.randomUUID();
        fail("u2", failed, 1);
        UUID lost = UUID.randomUUID();
        for (Map.Entry<String, UUID> buyer : Map.of("u1", stored, "u2", failed, "u3", lost)
                .entrySet()) {
            redis.command("HSET", key("buyers"), buyer.getKey(),
                    "a " + buyer.getValue() + "  = apple:1 1 1 0 1\n");
        }
        redis.command("HSET", key("buyers"), "u4",
                "c " + UUID.randomUUID() + "  = apple:1 1 1 0 1\n");
        Thread drain = new Thread(() -> {
            try (Resp writer = Resp.connect(server.port())) {
                String stream = "rush:{" + PARTITION.tag() + "}:orders";
                while (writer.number("XLEN", stream) == 0) {
                    Thread.onSpinWait();
                }
                writer.command("XTRIM", stream, "MAXLEN", "0");
            }
        });
        drain.start();
        assertThat(requeue.requeue(sale, MONTH, shards())).isEqualTo(1);
        test.sql("DELETE FROM retries");
    }

    private void loseMany() {
        for (int from = 0; from < MANY; from += PART) {
            List<String> fields = new ArrayList<>(List.of("HSET", key("buyers")));
            for (int i = from; i < from + PART; i++) {
                fields.add("u" + i);
                fields.add("a " + UUID.randomUUID() + "  = apple:1 1 1 0 1\n");
            }
            redis.command(fields.toArray(String[]::new));
        }
    }

    @Test
    void repairFailsIfTheLedgerTakesTooFewOrders() {
        loseMany();
        Requeue hasty = hastyRequeue();
        assertThatThrownBy(() -> hasty.requeue(sale, MONTH, shards()))
                .isInstanceOfSatisfying(ProblemException.class,
                        e -> assertThat(e.problem().code()).isEqualTo(OutcomeCode.UNAVAILABLE));
    }

    @Test
    void requeueOfMoreThanTheStreamTakesIsIncomplete() {
        loseMany();
        Requeue hasty = hastyRequeue();
        Requeue.Requeued first = hasty.requeue(sale, MONTH, PARTITION);
        assertThat(first.isComplete()).as("nobody reads the stream").isFalse();
        assertThat(first.count()).isBetween(MANY / 2L, MANY - 1L);
        Requeue.Requeued rest = hasty.requeue(sale, MONTH, PARTITION);
        assertThat(rest).isEqualTo(new Requeue.Requeued(MANY - first.count(), true));
    }

    @Test
    void rejectedOrdersReplaceLostDeductionsSingleItemsFirst() {
        reject("u0", "apple:1,pear:2", 5);
        reject("u1", "apple:2", 2);
        reject("u2", "apple:4", 3);
        reject("u3", "apple:1", 4);
        assertThat(settle("apple", 3)).isEqualTo(Map.of("apple", 3L));
        assertThat(settle("pear", 1)).isEmpty();
        assertThat(settle("apple", 9)).isEqualTo(Map.of("apple", 5L, "pear", 2L));
        assertThat(settle("apple", 9)).isEmpty();
        reject("u4", "apple:2", 6);
        reject("u5", "apple:2", 7);
        assertThat(settle("apple", 1)).as("none fits").isEmpty();
        assertThat(Settlement.free(test.ledger, sale, MONTH, PARTITION, "apple", 1))
                .as("enough").isEqualTo(Map.of("apple", 2L));
        assertThat(test.sql("SELECT sum(settled) FROM sums WHERE sale = '" + sale + "'"))
                .isEqualTo("12");
    }

    private Map<String, Long> settle(String sku, long unitsMax) {
        return Settlement.standIn(test.ledger, sale, MONTH, PARTITION, sku, unitsMax);
    }
}
