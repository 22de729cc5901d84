package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.writer.TestWriter;
import dev.rush.reconciliation.report.RainBooks;
import dev.rush.reconciliation.report.SaleBooks;
import dev.rush.reconciliation.report.Verdict;
import dev.rush.redis.Partition;
import dev.rush.redis.Shards;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Grabs, sales and rains that only Redis has are stored in the ledger again. */
class RefillOffersTest extends RepairScene {
    /** The last instant of a month: the ledger's clock was in the next one. */
    private static final String AT = "1769903999999";
    private static final int NEXT_MONTH = 202602;
    private static final String BEHIND =
            "SELECT string_agg(partition::text, ' ' ORDER BY partition) FROM partitions"
            + " WHERE behind_since IS NOT NULL";
    private static final String DEFINITION = "{\"title\":\"t\",\"opensAt\":0,\"closesAt\":7,"
            + "\"items\":[{\"sku\":\"b\",\"title\":\"b\",\"total\":5,\"limitPerUser\":2},"
            + "{\"sku\":\"a\",\"title\":\"a\",\"total\":3,\"limitPerUser\":0}],\"maxQuantity\":9,"
            + "\"paymentWindow\":60000,\"duplicateGuard\":\"CART\",\"duplicateGuardWindow\":2000,"
            + "\"returnRestoresLimit\":false,\"ordersPerUser\":6,\"unpaidHolds\":3,"
            + "\"durability\":null,\"shards\":%d}";

    private final Refill refill = patientRefill();
    private TestWriter writer;
    private String rain;

    @BeforeEach
    void fallBehind() {
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        List.of("audit", "leader_leases", "retries")
                .forEach(table -> test.sql("DELETE FROM " + table));
        test.sql("UPDATE sales SET state = 'retired' WHERE sale <> '" + sale + "'");
        test.sql("UPDATE rains SET state = 'retired'");
        redis.command("HSET", PARTITION.key("ledger"), "seq", "12", "epoch", "1");
        redis.command("SET", PARTITION.key("seq"), "12");
        writer = new TestWriter(test, gate.commands, PARTITION);
        rain = idIn("rain");
    }

    @AfterEach
    void stopWriting() {
        writer.close();
    }

    private static String idIn(String kind) {
        String id = test.id(kind);
        return PARTITIONS.of(id).equals(PARTITION) ? id : idIn(kind);
    }

    private String rainKey(String name) {
        return PARTITION.key("rain:" + rain + ":" + name);
    }

    /** A rain of five envelopes, of which three are granted. */
    private List<UUID> grabbed() {
        List<UUID> grabs = List.of(UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID());
        redis.command("HSET", rainKey("conf"), "definition", "{\"title\": 1}", "limit", "2",
                "count", "5", "amount", "50", "granted", "3", "granted_amount", "33", "paused",
                "1", "closed_at", "0", "closes_at", "8", "control", "30", "created_at", AT,
                "release", "filling", "month", Integer.toString(NEXT_MONTH));
        redis.command("RPUSH", rainKey("envelopes"), "9", "8", "");
        redis.command("HSET", rainKey("takers"), "", "", "u",
                grabs.get(0) + " k 1 10 1000 1\n" + grabs.get(2) + "  3 12 1002 3\n", "v",
                grabs.get(1) + "  2 11 1001 2\n");
        redis.command("ZADD", PARTITION.key("rains"), AT, rain);
        return grabs;
    }

    private void knowRain() {
        test.sql("INSERT INTO rains (rain, month, partition, definition, state, envelopes, amount,"
                + " limit_per_user) VALUES ('" + rain + "', " + MONTH + ", 0, '{}', 'loaded', 5,"
                + " 50, 2)");
    }

    private RainBooks.View rainBooks() {
        return report.rains.of(rain);
    }

    private String grabs() {
        return test.sql("SELECT string_agg(concat_ws(' ', id, user_id, key, number, nth, amount,"
                + " granted_at_ms), ', ' ORDER BY number) FROM grabs WHERE rain = '" + rain + "'");
    }

    @Test
    @DisplayName("I13: lost grabs are stored again once, as they were answered")
    void grabsComeBack() {
        List<UUID> grabs = grabbed();
        knowRain();
        assertThat(rainBooks().verdict()).isNotEqualTo(Verdict.BALANCED);
        refill.round();
        assertThat(grabs()).isEqualTo(grabs.get(0) + " u k 1 1 10 1000, " + grabs.get(1)
                + " v 2 1 11 1001, " + grabs.get(2) + " u 3 2 12 1002");
        assertThat(test.sql(BEHIND)).isNull();
        assertThat(test.sql("SELECT after ->> 'grabs' FROM audit")).isEqualTo("3");
        RainBooks.View books = rainBooks();
        assertThat(books.verdict()).as("%s", books).isEqualTo(Verdict.BALANCED);
        assertThat(books.ledger().amount()).isEqualTo(33);
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        refill.round();
        assertThat(test.sql("SELECT string_agg(after ->> 'grabs', ' ' ORDER BY xact) FROM audit"))
                .isEqualTo("3 0");
    }

    @Test
    @DisplayName("I13: an envelope that Redis gave out twice is paid once, also when refilled")
    void guardsJudge() {
        List<UUID> grabs = grabbed();
        knowRain();
        UUID other = UUID.randomUUID();
        redis.command("HSET", rainKey("takers"), "w", other + "  2 11 1003 2\n");
        test.sql("INSERT INTO retries (partition, fingerprint, kind, subject, order_id, fields,"
                + " reason, tries, state) VALUES (0, 'f', 'grab', '" + rain + "', '"
                + grabs.get(0) + "', '{\"amount\":\"10\"}', 'r', 1, 'waiting')");
        refill.round();
        assertThat(test.sql("SELECT count(*) FROM grabs WHERE number = 2 AND rain = '" + rain
                + "'")).isEqualTo("1");
        assertThat(grabs()).as("a dead letter stays one").doesNotContain(grabs.get(0).toString());
        assertThat(test.sql("SELECT granted || ' ' || rejected FROM rains WHERE rain = '" + rain
                + "'")).as("nothing is refused while behind").isEqualTo("2 0");
        assertThat(test.sql("SELECT count(*) FROM retries WHERE state = 'retrying'"))
                .isEqualTo("1");
    }

    @Test
    @DisplayName("I14: a lost rain is stored again as it was, and then its grabs")
    void rainComesBack() {
        grabbed();
        refill.round();
        assertThat(test.sql("SELECT concat_ws(' ', month, partition, definition, state, release,"
                + " envelopes, amount, limit_per_user, ends_at_ms, paused, closed_at_ms, control,"
                + " (extract(epoch FROM prepared_at) * 1000)::bigint, granted, granted_amount)"
                + " FROM rains WHERE rain = '" + rain + "'")).isEqualTo(NEXT_MONTH + " 0"
                + " {\"title\": 1} loaded filling 5 50 2 8 t 0 30 " + AT + " 3 33");
        assertThat(test.sql("SELECT string_agg(concat_ws(' ', actor, action), ', ' ORDER BY xact,"
                + " place) FROM audit")).isEqualTo(
                "service:refill rain.refilled, service:refill ledger.refilled");
        assertThat(rainBooks().verdict()).isEqualTo(Verdict.BALANCED);
        assertThat(test.sql(BEHIND)).isNull();
    }

    /** A sale that Redis has as released, with an order of two units in its first shard. */
    private UUID sold(String id, int shardCount) {
        Shards shards = PARTITIONS.shards(id, shardCount);
        UUID order = UUID.randomUUID();
        for (Partition shard : shards.partitions()) {
            redis.command("HSET", shard.key("sale:" + id + ":conf"), "definition",
                    DEFINITION.formatted(shardCount), "paused", "0", "closed_at", "6", "control",
                    "31", "created_at", AT, "release", "loading-1", "month",
                    Integer.toString(MONTH), "changes", "0");
            redis.command("HSET", shard.key("sale:" + id + ":buyers"), "", "");
            redis.command("HSET", shard.key("sale:" + id + ":stock"), "a:total", "3", "a:ordered",
                    "0", "b:total", "4", "b:ordered", "0", "b:version", "2");
        }
        String stock = PARTITION.key("sale:" + id + ":stock");
        redis.command("HSET", stock, "b:ordered", "2");
        if (shardCount > 1) {
            redis.command("HSET", stock, "a:whole", "6", "b:whole", "8");
        }
        redis.command("HSET", PARTITION.key("sale:" + id + ":buyers"), userOf(shards),
                "a " + order + " k = b:2 2 " + AT + " 1769904059999 1\n");
        redis.command("ZADD", PARTITION.key("sales"), AT, id);
        return order;
    }

    private static String userOf(Shards shards) {
        for (int i = 0;; i++) {
            if (shards.home("user" + i) == 0) {
                return "user" + i;
            }
        }
    }

    private String saleRow(String id) {
        return test.sql("SELECT concat_ws(' ', month, partitions, state, release, returns_limit,"
                + " payment_window_ms, orders_per_user, ends_at_ms, paused, closed_at_ms, control,"
                + " (extract(epoch FROM prepared_at) * 1000)::bigint) FROM sales WHERE sale = '"
                + id + "' AND definition LIKE '{\"title\":\"t\"%'");
    }

    private String items(String id) {
        return test.sql("SELECT string_agg(concat_ws(' ', sku, total, sold, limit_per_user,"
                + " version), ', ' ORDER BY sku) FROM items WHERE sale = '" + id + "'");
    }

    @Test
    @DisplayName("I14: a lost sale is stored again as it was, and then its orders")
    void saleComesBack() {
        String lost = idIn("sale");
        UUID order = sold(lost, 1);
        refill.round();
        assertThat(saleRow(lost)).isEqualTo(MONTH + " {0} loaded loading-1 f 60000 6 7 f 6 31 "
                + AT);
        assertThat(items(lost)).isEqualTo("a 3 0 0 0, b 4 2 2 2");
        assertThat(test.sql("SELECT status || ' ' || r.held FROM order_states o JOIN reservations"
                + " r ON r.order_id = o.id WHERE o.id = '" + order + "'"))
                .isEqualTo("reserved true");
        assertThat(redis.text("HGET", PARTITION.key("sale:" + lost + ":stock"), "b:total"))
                .as("its stock is left alone").isEqualTo("4");
        SaleBooks books = report.books.of(lost);
        assertThat(books.verdict()).as("%s", books).isEqualTo(Verdict.BALANCED);
        assertThat(test.sql(BEHIND)).isNull();
    }

    @Test
    @DisplayName("I14: a lost sale that is prepared again meanwhile is restored as Redis has it")
    void preparedAgain() {
        String lost = idIn("sale");
        sold(lost, 1);
        test.sql("INSERT INTO sales (sale, month, partitions, definition, state, returns_limit,"
                + " payment_window_ms, orders_per_user) VALUES ('" + lost + "', 202601, '{0}',"
                + " '{}', 'preparing', true, 0, 20)");
        test.sql("INSERT INTO items (sale, sku, total, limit_per_user) VALUES ('" + lost
                + "', 'other', 1, 0)");
        refill.round();
        assertThat(saleRow(lost)).startsWith(MONTH + " {0} loaded loading-1 f 60000 6 7 ");
        assertThat(items(lost)).isEqualTo("a 3 0 0 0, b 4 2 2 2");
    }

    @Test
    @DisplayName("S4: a lost sale in shards gets its totals from the first, and all are refilled")
    void shardedSaleComesBack() {
        String lost = idIn("sale");
        sold(lost, 2);
        int other = PARTITIONS.shards(lost, 2).get(1).index();
        redis.command("HSET", PARTITIONS.all().get(other).key("sale:" + lost + ":buyers"),
                "elsewhere", "c " + UUID.randomUUID() + " k = b:1 1 " + AT + " 0 1\n");
        test.sql("UPDATE partitions SET behind_since = 'infinity' WHERE partition = 5");
        refill.round();
        assertThat(saleRow(lost)).startsWith(MONTH + " {0," + other + "} loaded ");
        assertThat(items(lost)).isEqualTo("a 6 0 0 0, b 8 2 2 2");
        assertThat(test.sql(BEHIND)).as("its Redis was not read").isEqualTo("5");
        assertThat(test.sql("SELECT string_agg(after ->> 'partition', ' ' ORDER BY xact) FROM"
                + " audit WHERE action = 'ledger.refilled'")).isEqualTo("0 " + other);
    }

    /** The other shard has a record that cannot be read, so it stays behind. */
    @Test
    @DisplayName("D1: new orders of all shards of a lost sale wait until it is refilled")
    void shardsDefer() {
        String lost = idIn("sale");
        sold(lost, 2);
        int other = PARTITIONS.shards(lost, 2).get(1).index();
        redis.command("HSET", PARTITIONS.all().get(other).key("sale:" + lost + ":buyers"),
                "elsewhere", "a nonsense\n");
        refill.round();
        assertThat(test.sql("SELECT partition FROM partitions WHERE defers"))
                .isEqualTo(Integer.toString(other));
    }

    @Test
    @DisplayName("Sales and rains without a ledger, or with missing fields, are named, not stored")
    void onlyNamed() {
        String early = idIn("sale");
        sold(early, 1);
        redis.command("HSET", PARTITION.key("sale:" + early + ":conf"), "month", "0");
        String stockless = idIn("sale");
        sold(stockless, 1);
        redis.command("DEL", PARTITION.key("sale:" + stockless + ":stock"));
        String stateless = idIn("sale");
        sold(stateless, 1);
        redis.command("HDEL", PARTITION.key("sale:" + stateless + ":conf"), "paused");
        grabbed();
        redis.command("HSET", rainKey("conf"), "count", "many");
        refill.round();
        assertThat(saleRow(early)).isNull();
        assertThat(saleRow(stockless)).isNull();
        assertThat(saleRow(stateless)).isNull();
        assertThat(test.sql("SELECT after ->> 'unknown' FROM audit")).contains(early, stockless,
                stateless, rain);
        assertThat(test.sql(BEHIND)).isNull();
    }
}
