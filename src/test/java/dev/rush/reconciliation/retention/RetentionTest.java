package dev.rush.reconciliation.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.ledger.Actor;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.OwedCredit;
import dev.rush.ledger.Steps;
import dev.rush.ledger.TestJournal;
import dev.rush.reconciliation.report.ReportParts;
import dev.rush.reconciliation.retention.RetentionRows.Kind;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Environments;
import dev.rush.testing.Resp;
import io.vertx.redis.client.RedisClientType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a sale leaves Redis, with a real Redis and a real PostgreSQL. */
class RetentionTest {
    private static final Partitions PARTITIONS = new Partitions(8);
    private static final Partition PARTITION = PARTITIONS.all().get(0);
    private static final Actor ACTOR = Actor.service("test");
    private static EmbeddedRedis server;
    private static TestJournal test;
    private static Gate gate;
    private static Resp redis;

    private RetentionJob job;

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
    void clear() {
        test.sql("UPDATE sales SET state = 'archived'");
        test.sql("DELETE FROM leader_leases");
        test.sql("DELETE FROM losses");
        redis.command("FLUSHALL");
        PARTITIONS.all().forEach(partition -> redis.command("SET", "rush:{" + partition.tag()
                + "}:layout", Integer.toString(Layout.newest())));
        LeaderLease lease = new LeaderLease(test.ledger, () -> false, Set::of);
        ReportParts parts = new ReportParts(test, gate.commands, PARTITIONS, lease);
        job = new RetentionJob(test.ledger, parts.books, parts.rains, parts.recounts,
                gate.commands, PARTITIONS, parts.offers, lease, test.config);
    }

    private static String key(String name) {
        return "rush:{" + PARTITION.tag() + "}:" + name;
    }

    /** A sale of nine apples that has long been over. */
    private static String sale() {
        String sale;
        do {
            sale = test.sale("apple:9:0");
            test.sql("UPDATE sales SET state = 'archived' WHERE sale <> '" + sale
                    + "' AND state = 'loaded'");
        } while (!PARTITIONS.of(sale).equals(PARTITION));
        test.sql("UPDATE sales SET closed_at_ms = 1000, ends_at_ms = 2000 WHERE sale = '" + sale
                + "'");
        redis.command("HSET", key("sale:" + sale + ":conf"), "definition", "{}", "closed_at",
                "1000", "closes_at", "2000");
        redis.command("HSET", key("sale:" + sale + ":buyers"), "", "");
        redis.command("HSET", key("sale:" + sale + ":stock"), "apple:total", "9",
                "apple:ordered", "0", "apple:credited", "0");
        return sale;
    }

    private static boolean isRetirable(String sale) {
        return test.transact((connection, ledgerState) ->
                RetentionRows.retirable(connection, Kind.SALE, 1_000)).contains(sale);
    }

    private static String state(String sale) {
        return test.sql("SELECT state FROM sales WHERE sale = '" + sale + "'");
    }

    private static void noted(String sale, String when) {
        test.sql("UPDATE sales SET retired_at = now() " + when + " WHERE sale = '" + sale + "'");
    }

    @Test
    void saleLeavesRedisOnceItIsOver() {
        String sale = sale();
        job.round();
        assertThat(state(sale)).isEqualTo("retiring");
        noted(sale, "+ interval '1 minute'");
        job.round();
        assertThat(state(sale)).isEqualTo("retiring");
        assertThat(test.sql("SELECT count(*) FROM audit WHERE subject = '" + sale + "'"))
                .isEqualTo("0");
        noted(sale, "- interval '4 seconds'");
        job.round();
        assertThat(state(sale)).isEqualTo("retired");
        assertThat(redis.list("KEYS", key("sale:*"))).isEmpty();
        assertThat(test.sql("SELECT count(*) FROM audit WHERE subject = '" + sale
                + "' AND action = 'sale.retired'")).isEqualTo("1");
    }

    @Test
    void saleWithOpenRowsInTheLedgerStays() {
        String sale = sale();
        assertThat(isRetirable(sale)).isTrue();
        UUID order = test.order(sale, "u", null, "apple:2", 5_000);
        assertThat(isRetirable(sale)).as("reserved").isFalse();
        OwedCredit credit = test.transact((connection, ledgerState) -> Steps.giveBack(connection,
                ledgerState, test.find(sale, order), ACTOR, null));
        assertThat(isRetirable(sale)).as("owed").isFalse();
        test.transact((connection, ledgerState) -> {
            Steps.credited(connection, ledgerState, List.of(credit), Map.of(order, "credited"));
            return null;
        });
        assertThat(isRetirable(sale)).isTrue();
        test.sql("INSERT INTO returns (id, sale, user_id, key, state, actor) VALUES ("
                + "gen_random_uuid(), '" + sale + "', 'u', 'k', 'parked', 'buyer:u')");
        assertThat(isRetirable(sale)).as("parked").isFalse();
        test.sql("UPDATE returns SET state = 'void' WHERE sale = '" + sale + "'");
        assertThat(isRetirable(sale)).isTrue();
        test.sql("INSERT INTO retries (partition, fingerprint, kind, subject, fields, reason,"
                + " tries, state) VALUES (0, '" + sale + "', 'purchase', '" + sale
                + "', '{}', 'r', 1, 'waiting')");
        assertThat(isRetirable(sale)).as("failed").isFalse();
        test.sql("UPDATE retries SET state = 'replayed' WHERE subject = '" + sale + "'");
        assertThat(isRetirable(sale)).isTrue();
        test.sql("INSERT INTO losses (partition, low, high, noticed_at_ms, lost) VALUES"
                + " (0, 1, 2, 1, 1)");
        assertThat(isRetirable(sale)).as("lost").isFalse();
        test.sql("UPDATE losses SET restored_at = now()");
        assertThat(isRetirable(sale)).isTrue();
        test.sql("UPDATE sales SET closed_at_ms = 0, ends_at_ms = 0 WHERE sale = '" + sale + "'");
        assertThat(isRetirable(sale)).as("open").isFalse();
    }

    @Test
    void saleWithUnbalancedBooksStays() {
        String sale = sale();
        redis.command("HSET", key("sale:" + sale + ":stock"), "apple:ordered", "1");
        job.round();
        assertThat(state(sale)).isEqualTo("loaded");
    }

    @Test
    void saleWhoseSumsDifferFromItsRowsStays() {
        String sale = sale();
        UUID order = test.order(sale, "u", null, "apple:2", 0);
        redis.command("HSET", key("sale:" + sale + ":stock"), "apple:ordered", "2");
        test.sql("UPDATE orders SET lines = 'apple:1' WHERE id = '" + order + "'");
        job.round();
        assertThat(state(sale)).isEqualTo("loaded");
        String counted = "SELECT counted_at FROM recounts WHERE subject = '" + sale + "'";
        String first = test.sql(counted);
        job.round();
        assertThat(test.sql(counted)).as("counted once while nothing changes").isEqualTo(first);
        test.sql("UPDATE sums SET stored = 1, confirmed = 1 WHERE sale = '" + sale + "'");
        test.sql("UPDATE items SET sold = 1 WHERE sale = '" + sale + "'");
        redis.command("HSET", key("sale:" + sale + ":stock"), "apple:ordered", "1");
        job.round();
        assertThat(state(sale)).isEqualTo("retiring");
        assertThat(test.sql("SELECT count(*) FROM leader_leases WHERE until > now()"))
                .as("the task is this pod's for the next round too").isEqualTo("1");
    }

    @Test
    void ledgerThatMayHaveLostCommitsRetiresNothing() {
        String sale = sale();
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        job.round();
        assertThat(state(sale)).isEqualTo("loaded");
        test.sql("UPDATE partitions SET behind_since = NULL");
        job.round();
        assertThat(state(sale)).isEqualTo("retiring");
    }

    @Test
    void saleThatIsOpenInRedisStays() {
        String sale = sale();
        redis.command("HSET", key("sale:" + sale + ":conf"), "closed_at", "0", "closes_at", "0");
        job.round();
        test.sql("UPDATE sales SET retired_at = now() - interval '4 seconds' WHERE sale = '"
                + sale + "'");
        job.round();
        assertThat(state(sale)).isIn("loaded", "retiring");
        assertThat(redis.list("KEYS", key("sale:*"))).isNotEmpty();
    }
}
