package dev.rush.reconciliation.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Steps;
import dev.rush.ledger.TestJournal;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Environments;
import dev.rush.testing.Resp;
import io.vertx.redis.client.RedisClientType;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A user's personal data is erased from the retired sales of a real journal. */
class ErasureTest {
    private static final Partitions PARTITIONS = new Partitions(8);
    private static final Actor ANN = new Actor("operator:ann");
    private static final String WHO = "w-person-17";
    private static EmbeddedRedis server;
    private static TestJournal test;
    private static Gate gate;
    private static Resp redis;

    private final Erasure erasure = new Erasure(
            test.ledger, test.offers(PARTITIONS), PARTITIONS, gate.commands);
    private String sale;
    private UUID order;

    @BeforeAll
    static void start() {
        test = new TestJournal(Environments.ledger().freshDatabase());
        server = EmbeddedRedis.start();
        redis = Resp.connect(server.port());
        gate = new Gate(RedisClientType.STANDALONE, List.of(server.port()), Map.of(),
                loss -> { });
    }

    @AfterAll
    static void stop() throws Exception {
        redis.close();
        gate.close();
        server.close();
        test.close();
    }

    @BeforeEach
    void sell() {
        for (String table : List.of("audit", "returns", "retries", "grabs", "rejected_grabs",
                "steps", "orders", "rejected", "reservations", "credits")) {
            test.sql("DELETE FROM " + table);
        }
        test.sql("UPDATE sales SET state = 'retired'");
        test.sql("UPDATE rains SET state = 'retired'");
        redis.command("FLUSHALL");
        sale = test.sale("apple:99:0");
        order = test.order(sale, WHO, WHO + "-key", "apple:1", 0);
    }

    private static void retire(String sale) {
        test.sql("UPDATE sales SET state = 'retired' WHERE sale = '" + sale + "'");
    }

    private static String rain(String state) {
        String rain = test.id("rain");
        test.sql("INSERT INTO rains (rain, month, partition, definition, state, envelopes, amount,"
                + " limit_per_user) VALUES ('" + rain + "', " + TestJournal.MONTH
                + ", 0, '{}', '" + state + "', 9, 9, 9)");
        return rain;
    }

    /** The number of rows of all tables whose text contains a name. */
    private static long traces(String name) {
        long traces = 0;
        for (String table : test.sql("SELECT string_agg(relname, ',') FROM pg_class WHERE relkind"
                + " IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace")
                .split(",")) {
            traces += Long.parseLong(test.sql("SELECT count(*) FROM " + table + " t WHERE t::text"
                    + " LIKE '%" + name + "%'"));
        }
        return traces;
    }

    private static void webhook() {
        test.sql("INSERT INTO webhooks (webhook, url, types, secret, epoch, xact, place) VALUES"
                + " ('w', 'https://w.invalid', '{}', 's', 1, 1, 1)");
    }

    private static void delivery(String sale, String user) {
        test.sql("INSERT INTO deliveries (webhook, event, type, subject, at, body, state, tries,"
                + " next_at) VALUES ('w', gen_random_uuid(), 't', 's', now(), '{\"source\":"
                + " \"/v1/sales/" + sale + "\", \"data\": {\"user\": \"" + user
                + "\"}}', 'waiting', 1, now())");
    }

    private static void bystander(String sale) {
        test.order(sale, WHO + "0", "k", "apple:1", 0);
    }

    @Test
    @DisplayName("A2: retired sales and rains no longer name the user, and all else stays")
    void erased() {
        bystander(sale);
        test.transact((connection, ledgerState) -> Steps.giveBack(connection, ledgerState,
                test.find(sale, order), new Actor("buyer:" + WHO), "too small"));
        test.sql("DELETE FROM credits");
        test.sql("INSERT INTO rejected SELECT gen_random_uuid(), month, block, 2, placed_at_ms,"
                + " pay_by_ms, partition, sale, user_id, key, digest, lines, lefts, claim, 'limit'"
                + " FROM orders WHERE id = '" + order + "'");
        test.sql("INSERT INTO returns (id, sale, user_id, key, state, actor) VALUES"
                + " (gen_random_uuid(), '" + sale + "', '" + WHO + "', 'x', 'void', 'buyer:" + WHO
                + "')");
        test.sql("INSERT INTO retries (partition, fingerprint, kind, subject, user_id, key, fields,"
                + " reason, tries, state) VALUES (0, 'f', 'purchase', '" + sale + "', '" + WHO
                + "', 'k', '{\"user\": \"" + WHO + "\"}', 'of " + WHO + "', 1, 'replayed')");
        test.sql("INSERT INTO audit (id, epoch, actor, action, subject) VALUES"
                + " (gen_random_uuid(), 1, 'operator:ann', 'blocklist.added', '" + WHO + "'),"
                + " (gen_random_uuid(), 1, 'operator:ann', 'sale.paused', '" + sale + "')");
        webhook();
        delivery(sale, WHO);
        delivery(sale, WHO + "0");
        String rain = rain("retired");
        for (String table : List.of("grabs", "rejected_grabs")) {
            test.sql("INSERT INTO " + table + " SELECT gen_random_uuid(), " + TestJournal.MONTH
                    + ", 1, 1, 1, 1, 1, 5, 0, '" + rain + "', '" + WHO + "', '" + WHO + "'"
                    + (table.equals("grabs") ? "" : ", 'late'"));
        }
        retire(sale);
        String sums = test.sums(sale);
        long others = traces(WHO + "0");

        Erasure.Erased first = erasure.erase(WHO, ANN);

        assertThat(first).isEqualTo(
                new Erasure.Erased(2, 2, 1, 3, List.of(), List.of()));
        assertThat(traces(WHO)).isEqualTo(traces(WHO + "0")).isEqualTo(others).isPositive();
        assertThat(test.find(sale, order).user()).matches("erased-[0-9a-f]{16}");
        String pseudonym = test.find(sale, order).user();
        assertThat(test.sql("SELECT string_agg(concat_ws(' ', actor, cause), ',') FROM steps"))
                .isEqualTo("buyer:" + pseudonym);
        assertThat(test.sql("SELECT count(*) FROM grabs WHERE user_id = '" + pseudonym + "'"))
                .isEqualTo("1");
        assertThat(test.sums(sale)).isEqualTo(sums);
        assertThat(test.sql("SELECT concat_ws(' ', actor, after) FROM audit WHERE action ="
                + " 'user.erased' AND subject = '" + pseudonym + "'")).isEqualTo("operator:ann"
                + " {\"open\": 0, \"grabs\": 2, \"orders\": 2, \"others\": 3, \"returns\": 1}");
        assertThat(test.sql("SELECT actor FROM audit WHERE action = 'user.erasure-begun'"
                + " AND subject = '" + pseudonym + "'")).isEqualTo("operator:ann");
        assertThat(test.sql("SELECT subject FROM audit WHERE action = 'sale.paused'"))
                .isEqualTo(sale);
        assertThat(erasure.erase(WHO, ANN)).isEqualTo(
                new Erasure.Erased(0, 0, 0, 0, List.of(), List.of()));
        test.sql("DELETE FROM webhooks");
    }

    @Test
    @DisplayName("A2: a month whose archiving has begun keeps the user, and is listed")
    void beingArchived() {
        test.sql("UPDATE sales SET state = 'archived' WHERE sale = '" + sale + "'");
        assertThat(erasure.erase(WHO, ANN)).isEqualTo(
                new Erasure.Erased(0, 0, 0, 0, List.of(), List.of("2026-01")));
    }

    @Test
    @DisplayName("A2: deliveries about archived sales are erased, those about open ones are not")
    void deliveries() {
        webhook();
        delivery(sale, WHO);
        String open = test.sale("apple:9:0");
        delivery(open, WHO);
        test.sql("UPDATE sales SET state = 'archived' WHERE sale = '" + sale + "'");
        assertThat(erasure.erase(WHO, ANN).others()).isEqualTo(1);
        assertThat(test.sql("SELECT body::jsonb ->> 'source' FROM deliveries"
                + " WHERE body::jsonb #>> '{data,user}' = '" + WHO + "'"))
                .isEqualTo("/v1/sales/" + open);
        test.sql("DELETE FROM webhooks");
    }

    @Test
    @DisplayName("A2: sales and rains that are not retired keep the user, and are listed")
    void open() {
        String redisOnly = test.sale("apple:9:0");
        test.sale("apple:9:0");
        redis.command("HSET", PARTITIONS.of(redisOnly).key("sale:" + redisOnly + ":buyers"),
                WHO, "a");
        String raining = rain("loaded");
        rain("loaded");
        redis.command("HSET", PARTITIONS.of(raining).key("rain:" + raining + ":takers"), WHO, "a");
        test.sql("INSERT INTO archive.tables VALUES (202512, 'orders_202512', 5)");
        Erasure.Erased first = erasure.erase(WHO, ANN);
        assertThat(first).isEqualTo(new Erasure.Erased(0, 0, 0, 0,
                List.of(sale, redisOnly, raining), List.of("2025-12")));
        assertThat(test.find(sale, order).user()).isEqualTo(WHO);
        retire(sale);
        retire(redisOnly);
        assertThat(erasure.erase(WHO, ANN).open()).containsExactly(raining);
        assertThat(traces(WHO)).isZero();
        test.sql("DELETE FROM archive.tables");
    }

    @Test
    @DisplayName("A2: the pseudonyms of two erasures cannot be linked")
    void unlinked() {
        retire(sale);
        erasure.erase(WHO, ANN);
        String other = test.sale("apple:9:0");
        UUID later = test.order(other, WHO, null, "apple:1", 0);
        retire(other);
        erasure.erase(WHO, ANN);
        assertThat(test.find(other, later).user())
                .isNotEqualTo(test.find(sale, order).user()).startsWith("erased-");
    }
}
