package dev.rush.reconciliation.repair;

import dev.rush.RushConfig;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.http.Json;
import dev.rush.ledger.Actor;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Lines;
import dev.rush.ledger.OwedCredit;
import dev.rush.ledger.Steps;
import dev.rush.ledger.TestJournal;
import dev.rush.ledger.writer.TestWriter;
import dev.rush.reconciliation.report.ReportParts;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.Gate;
import dev.rush.sale.shard.ShardParts;
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

/** A sale in a real Redis and a real PostgreSQL, and the parts that repair it. */
abstract class RepairScene {
    static final Partitions PARTITIONS = new Partitions(8);
    static final Partition PARTITION = PARTITIONS.all().get(0);
    static final int MONTH = TestJournal.MONTH;
    /** A buyer's record: state, order, payment deadline. */
    static final String LINE = "%s %s k = apple:1 1 1 %d 0\n";
    private static final Actor ACTOR = Actor.service("test");
    static EmbeddedRedis server;
    static TestJournal test;
    static Gate gate;
    static Resp redis;
    static ReportParts report;
    static Restorer restorer;
    static Requeue requeue;
    static LostEnds lostEnds;
    static Rebuild rebuild;
    static LostOffers offers;

    String sale;

    @BeforeAll
    static void start() {
        test = new TestJournal(Environments.ledger().freshDatabase());
        server = EmbeddedRedis.start();
        redis = Resp.connect(server.port());
        gate = new Gate(RedisClientType.STANDALONE, List.of(server.port()), Map.of(),
                loss -> { });
        report = new ReportParts(test, gate.commands, PARTITIONS,
                new LeaderLease(test.ledger, () -> false, Set::of));
        restorer = new Restorer(test.ledger, gate.commands, PARTITIONS, report.offers,
                new Corrections(test.ledger, gate.commands, null));
        requeue = new Requeue(test.ledger, gate.commands, report.streams, test.config);
        lostEnds = new LostEnds(test.ledger, gate.commands, requeue,
                TestWriter.endedOrders(test));
        offers = new LostOffers(test.ledger, gate.commands, PARTITIONS, new Json());
        rebuild = new Rebuild(test.ledger, gate.commands, requeue,
                ShardParts.missingKeys(gate.commands), new Json(), test.config);
    }

    @AfterAll
    static void stop() throws Exception {
        redis.close();
        gate.close();
        server.close();
        test.close();
    }

    /** A sale of nine apples that nobody has bought from. */
    @BeforeEach
    void prepare() {
        test.sql("UPDATE partitions SET behind_since = NULL, defers = false");
        redis.command("FLUSHALL");
        PARTITIONS.all().forEach(partition -> redis.command("SET", "rush:{" + partition.tag()
                + "}:layout", Integer.toString(Layout.newest())));
        do {
            sale = test.sale("apple:9:0");
        } while (!PARTITIONS.of(sale).equals(PARTITION));
        test.sql("UPDATE sales SET definition = '{\"duplicateGuard\":\"NONE\"}' WHERE sale = '"
                + sale + "'");
        redis.command("HSET", key("conf"), "definition", "{}", "changes", "0");
        redis.command("HSET", key("buyers"), "", "");
        redis.command("HSET", key("stock"), "apple:total", "9", "apple:ordered", "0",
                "apple:credited", "0");
    }

    /** A rebuild that does not wait for long. */
    static Rebuild hasty() {
        return new Rebuild(test.ledger, gate.commands, requeue,
                ShardParts.missingKeys(gate.commands), new Json(),
                TestJournal.config(Map.of("rush.books.drain", "PT0.1S")));
    }

    /** A requeue that does not wait for long. */
    static Requeue hastyRequeue() {
        return new Requeue(test.ledger, gate.commands, report.streams,
                TestJournal.config(Map.of("rush.books.drain", "PT0.1S")));
    }

    /** A refill that does not wait for long. */
    static Refill refill() {
        return refill(new RefilledSteps(test.ledger, gate.commands));
    }

    static Refill refill(RefilledSteps steps) {
        return refill(steps, "PT2S");
    }

    /** A refill that waits for a writer. */
    static Refill patientRefill() {
        return refill(new RefilledSteps(test.ledger, gate.commands), "PT60S");
    }

    private static Refill refill(RefilledSteps steps, String drain) {
        return refill(steps, drain, Set.of());
    }

    /** A refill that leaves partitions to other pods. */
    static Refill refill(Set<Integer> refused) {
        return refill(new RefilledSteps(test.ledger, gate.commands), "PT2S", refused);
    }

    private static Refill refill(RefilledSteps steps, String drain, Set<Integer> refused) {
        RushConfig config = TestJournal.config(Map.of("rush.books.drain", drain));
        return new Refill(test.ledger, PARTITIONS, new PartitionRefill(test.ledger, gate.commands,
                report.streams, offers, requeue, steps, lostEnds),
                new LeaderLease(test.ledger, () -> false, () -> refused), config);
    }

    /** Of the ledger, partition 0 is behind Redis, and has the sale only. */
    void fallBehind() {
        test.check();
        test.sql("UPDATE partitions SET seq = 10, behind_since = NULL");
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        List.of("audit", "leader_leases", "retries", "reservations")
                .forEach(table -> test.sql("DELETE FROM " + table));
        test.sql("UPDATE sales SET state = 'retired' WHERE sale <> '" + sale + "'");
        redis.command("HSET", PARTITION.key("ledger"), "seq", "10", "epoch", "1");
    }

    /** The partitions that are behind; null if none is. */
    static String partitionsBehind() {
        return test.sql("SELECT string_agg(partition::text, ' ' ORDER BY partition)"
                + " FROM partitions WHERE behind_since IS NOT NULL");
    }

    static void pay(UUID order) {
        redis.command("LPUSH", PARTITION.key("reported"),
                MONTH + " " + order + " 1 confirmed payer:p");
    }

    String key(String name) {
        return key(PARTITION, name);
    }

    String key(Partition partition, String name) {
        return "rush:{" + partition.tag() + "}:sale:" + sale + ":" + name;
    }

    static Shards shards() {
        return new Shards(List.of(PARTITION));
    }

    long stock(String counter) {
        return Long.parseLong(redis.text("HGET", key("stock"), "apple:" + counter));
    }

    String record(String user) {
        return redis.text("HGET", key("buyers"), user);
    }

    OwedCredit giveBack(UUID order) {
        return test.transact((connection, ledgerState) -> Steps.giveBack(connection, ledgerState,
                test.find(sale, order), ACTOR, null));
    }

    void credited(OwedCredit credit) {
        test.transact((connection, ledgerState) -> {
            Steps.credited(connection, ledgerState, List.of(credit),
                    Map.of(credit.order(), "credited"));
            return null;
        });
    }

    void reject(String user, String lines, int seq) {
        test.sql("INSERT INTO rejected VALUES (gen_random_uuid(), " + MONTH + ", 1, " + seq
                + ", 1, 0, 0, '" + sale + "', '" + user + "', NULL, '=', '" + lines
                + "', '1', NULL, 'limit')");
        long units = Lines.quantities(lines).get("apple");
        test.sql("INSERT INTO sums (sale, partition, sku, slot, rejected) VALUES ('" + sale
                + "', 0, 'apple', 0, " + units + ") ON CONFLICT (sale, partition, sku, slot)"
                + " DO UPDATE SET rejected = sums.rejected + " + units);
    }

    void fail(String user, UUID order, int units) {
        test.sql(("INSERT INTO retries (partition, fingerprint, kind, subject, order_id, seq,"
                + " fields, reason, tries, state) VALUES (0, '%s', 'purchase', '%s', '%s', 50,"
                + " '{\"user\":\"%s\",\"key\":\"%s\",\"digest\":\"=\",\"lines\":\"apple:%d\","
                + "\"lefts\":\"1\",\"at\":\"1\",\"pay_by\":\"0\"}', 'r', 1, 'waiting')")
                .formatted(order, sale, order, user, order, units));
    }
}
