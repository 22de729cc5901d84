package dev.rush.reconciliation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A failover that lost acknowledged writes (B4, I6): it is noticed and counted, and orders that the
 * ledger has are deducted again while the sale goes on. The loss is simulated by restoring all keys
 * of the partition to an earlier instant, as if a lagging replica had been promoted.
 */
class LossIT {

    private static LedgerPods pods;
    private static Pod writer;

    @BeforeAll
    static void start() {
        pods = new LedgerPods("loss", Map.of("rush.role", "api"));
        writer = startWriter("loss-writer");
    }

    @AfterAll
    static void stop() {
        writer.close();
        pods.close();
    }

    private static Pod startWriter(String name) {
        return pods.startPod(name, Map.of("rush.role", "writer"));
    }

    private static List<String> keys(String sale) {
        return List.of(LedgerPods.key(sale, "conf"), LedgerPods.key(sale, "stock"),
                LedgerPods.key(sale, "buyers"),
                LedgerPods.stream(sale), LedgerPods.sequence(sale));
    }

    /** A dump of the keys, for {@link #putBack}. */
    private static Map<String, String> instant(Resp resp, String sale) {
        Map<String, String> instant = new LinkedHashMap<>();
        keys(sale).forEach(key -> {
            String copy = key.replace("}:", "}:copy:");
            resp.command("DEL", copy);
            resp.command("COPY", key, copy);
            instant.put(key, copy);
        });
        return instant;
    }

    private static void putBack(Resp resp, Map<String, String> instant) {
        resp.command("MULTI");
        instant.forEach((key, copy) -> {
            resp.command("DEL", key);
            resp.command("COPY", copy, key);
        });
        resp.command("EXEC");
    }

    @Test
    void lostOrdersAreCountedAndThoseOfTheLedgerAreDeductedAgain() {
        String lostOrder;
        String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":100,"
                + "\"limitPerUser\":2}]");
        try (Resp resp = pods.environment().resp("")) {
            for (int i = 0; i < 10; i++) {
                assertThat(pods.buy(sale, "u" + i, "k" + i).status()).isEqualTo(201);
            }
            pods.awaitStored(sale, 10);
            awaitDrained(sale);
            Map<String, String> instant = instant(resp, sale);
            // Lost by Redis, but stored in the ledger.
            for (int i = 10; i < 13; i++) {
                assertThat(pods.buy(sale, "u" + i, "k" + i).status()).isEqualTo(201);
            }
            pods.awaitStored(sale, 13);
            writer.kill();
            // Lost by both stores.
            lostOrder = pods.buy(sale, "u13", "k13").body().path("order").asText();
            pods.buy(sale, "u14", "k14");
            putBack(resp, instant);
            assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(10);
        }
        writer = startWriter("loss-writer-2");
        // The sale goes on, and the first reply shows the loss.
        Answer next = pods.buy(sale, "u20", "k20");
        assertThat(next.status()).isEqualTo(201);
        assertThat(pods.metric("rush_redis_sequence_lost_total")).isEqualTo(5);
        Await.until("orders that the ledger has are deducted again", LedgerPods.SOON,
                () -> pods.stock(sale, "apple:ordered") == 14, writer::log);
        Await.until("orders that no store has are counted", LedgerPods.SOON,
                () -> writer.metric("rush_books_lost_total") == 2, writer::log);
        pods.awaitStored(sale, 14);
        awaitDrained(sale);
        JsonNode books = pods.books(sale).body();
        assertThat(books.path("verdict").asText()).as("%s", books).isEqualTo("balanced");
        assertThat(books.path("lost").asLong()).isEqualTo(2);
        assertThat(pods.buy(sale, "u11", "k11").header("Idempotency-Replayed"))
                .as("a restored key has its answer").isEqualTo("true");
        assertThat(pods.buy(sale, "u11", "new", 2).word()).as("a restored limit holds")
                .isEqualTo("limit-reached");
        assertThat(pods.giveBack(sale, "u13", lostOrder).status())
                .as("an order that nobody knows is parked, as Redis is known to lack some")
                .isEqualTo(202);
        assertThat(pods.buy(sale, "u13", "k13").status())
                .as("a buyer whose order was lost may buy again").isEqualTo(201);
    }

    @Test
    @DisplayName("I6: orders that were stored before a Redis was emptied again are not lost")
    void ordersStoredBetweenTwoLossesAreNotLost() {
        String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":100}]");
        long before = pods.count("SELECT COALESCE(max(id), 0) FROM losses WHERE id > ?", 0);
        String tag = LedgerPods.key(sale, "").replaceAll("}.*", "}:*");
        for (int stored = 5; stored <= 10; stored += 5) {
            for (int i = 0; i < 5; i++) {
                assertThat(pods.buy(sale, stored + "u" + i, stored + "k" + i).status())
                        .isEqualTo(201);
            }
            pods.awaitStored(sale, stored);
            awaitDrained(sale);
            try (Resp resp = pods.environment().resp("")) {
                ((List<?>) resp.command("KEYS", tag)).forEach(key -> resp.command("DEL", "" + key));
            }
            assertThat(pods.buy(sale, "u", "k").word()).isEqualTo("not-loaded");
            Await.until("the sale is rebuilt", LedgerPods.SOON, () -> pods.api().asOperator()
                    .post("/v1/sales/" + sale + "/books/repair").body()
                    .at("/books/verdict").asText().equals("balanced"));
        }

        Await.until("both losses are counted", LedgerPods.SOON, () -> losses(before).equals("0, 0"),
                () -> losses(before));
    }

    private static String losses(long after) {
        return pods.text("SELECT string_agg(COALESCE(lost::text, 'open'), ', ') FROM losses"
                + " WHERE id > ?", after);
    }

    @Test
    void lossThatNoPodSawIsDetectedByTheLedgerAndRejectedOrdersAreSettled() {
        String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":4,"
                + "\"limitPerUser\":0}]");
        try (Resp resp = pods.environment().resp("")) {
            pods.buy(sale, "u0", "k0");
            pods.awaitStored(sale, 1);
            awaitDrained(sale);
            Map<String, String> instant = instant(resp, sale);
            for (int i = 1; i < 4; i++) {
                assertThat(pods.buy(sale, "u" + i, "k" + i).status()).isEqualTo(201);
            }
            pods.awaitStored(sale, 4);
            putBack(resp, instant);
            // Redis offers three units again that are confirmed already.
            for (int i = 4; i < 7; i++) {
                sellBehindTheBack(resp, sale, i, "apple:1");
            }
            awaitRejected(sale, 3);
            assertThat(pods.count("SELECT sold FROM items WHERE sale = ?", sale)).isEqualTo(4);
            Await.until("the alarm is on", LedgerPods.SOON,
                    () -> writer.metric("rush_books_oversold") > 0, writer::log);
            assertRepaired(sale);
            assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(4);
            Await.until("the alarm ends", LedgerPods.SOON,
                    () -> writer.metric("rush_books_oversold") == 0, writer::log);
        }
    }

    @Test
    void settlingARejectedOrderReleasesItsUnitsOfTheOtherItem() {
        String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":2,"
                + "\"limitPerUser\":0},{\"sku\":\"pear\",\"total\":9,\"limitPerUser\":0}]");
        try (Resp resp = pods.environment().resp("")) {
            Map<String, String> instant = instant(resp, sale);
            assertThat(pods.buy(sale, "u1", "k1", 2).status()).isEqualTo(201);
            pods.awaitStored(sale, 1);
            awaitDrained(sale);
            putBack(resp, instant);
            for (int i = 8; i < 10; i++) {
                sellBehindTheBack(resp, sale, i, "apple:1,pear:1");
            }
            awaitRejected(sale, 2);
            assertRepaired(sale);
            assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(2);
            assertThat(pods.stock(sale, "pear:ordered")).isZero();
        }
    }

    @Test
    void unitsSoldBeyondTheLedgersTotalAreTakenBackFromRejectedOrders() {
        String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":9,"
                + "\"limitPerUser\":0}]");
        pods.update("UPDATE items SET total = 5 WHERE sale = ?", sale);
        for (int i = 0; i < 3; i++) {
            assertThat(pods.buy(sale, "u" + i, "k" + i, 3).status()).isEqualTo(201);
        }
        awaitRejected(sale, 2);
        assertRepaired(sale);
        assertThat(pods.stock(sale, "apple:total")).isEqualTo(5);
        assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(3);
    }

    @Test
    void nobodyBuysUnitsBeyondTheLedgersTotalDuringARepair() {
        String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":40,"
                + "\"limitPerUser\":0}]");
        pods.update("UPDATE items SET total = 20 WHERE sale = ?", sale);
        for (int i = 0; i < 40; i++) {
            assertThat(pods.buy(sale, "u" + i, "k" + i).status()).isEqualTo(201);
        }
        awaitRejected(sale, 20);
        AtomicBoolean ends = new AtomicBoolean();
        CompletableFuture<?> crowd = CompletableFuture.runAsync(() -> {
            for (int i = 0; !ends.get(); i++) {
                pods.buy(sale, "late-" + i, "late-" + i);
            }
        });
        assertRepaired(sale);
        ends.set(true);
        crowd.join();
        assertThat(pods.stock(sale, "apple:total")).isEqualTo(20);
        assertThat(pods.stored(sale)).as("nothing was accepted meanwhile").isEqualTo(40);
    }

    @Test
    void settlingForOneItemIsTakenIntoAccountForAnother() {
        String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":20,"
                + "\"limitPerUser\":0},{\"sku\":\"pear\",\"total\":1,\"limitPerUser\":0}]");
        try (Resp resp = pods.environment().resp("")) {
            sellBehindTheBack(resp, sale, 2, "apple:1,pear:1");
            pods.awaitStored(sale, 1);
            awaitDrained(sale);
            resp.command("HINCRBY", LedgerPods.key(sale, "stock"), "pear:ordered", "-1");
            sellBehindTheBack(resp, sale, 3, "apple:5,pear:1");
            awaitRejected(sale, 1);
            awaitDrained(sale);
            resp.command("HINCRBY", LedgerPods.key(sale, "stock"), "apple:ordered", "-3");
            assertRepaired(sale);
            assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(1);
            assertThat(pods.stock(sale, "pear:ordered")).isEqualTo(1);
        }
    }

    private static void awaitRejected(String sale, long orders) {
        Await.until("the ledger refuses orders beyond the total", LedgerPods.SOON, () -> pods.count(
                "SELECT count(*) FROM order_states WHERE sale = ? AND status = 'rejected'", sale)
                == orders, writer::log);
    }

    private static void assertRepaired(String sale) {
        Answer repaired = pods.api().asOperator().post("/v1/sales/" + sale + "/books/repair");
        assertThat(repaired.body().at("/books/verdict").asText()).as("%s", repaired)
                .isEqualTo("balanced");
    }

    /** A purchase as the script would write it, without a pod that sees the sequence. */
    private static void sellBehindTheBack(Resp resp, String sale, int i, String lines) {
        String id = "01234567-89ab-7def-8123-45678900000" + i;
        String[] each = lines.split(",");
        for (String line : each) {
            String[] words = line.split(":");
            resp.command("HINCRBY", LedgerPods.key(sale, "stock"), words[0] + ":ordered",
                    words[1]);
        }
        long seq = (Long) resp.command("INCR", LedgerPods.sequence(sale));
        resp.command("HSET", LedgerPods.key(sale, "buyers"), "u" + i, "a " + id + " k" + i
                + " = " + lines + " 0 1700000000000 0 " + seq + "\n");
        resp.command("XADD", LedgerPods.stream(sale), "*", "purchase", String.join(" ", sale,
                LedgerPods.NOW, "0", Long.toString(seq), Long.toString(seq), "u" + i, id, "k" + i,
                "=", lines, String.join(",", Collections.nCopies(each.length, "0"))));
    }

    private static void awaitDrained(String sale) {
        Await.until("the stream is drained", LedgerPods.SOON,
                () -> (Long) pods.redis("XLEN", LedgerPods.stream(sale)) == 0);
    }
}
