package dev.rush.reconciliation.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.ledger.Actor;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.Steps;
import dev.rush.ledger.TestJournal;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Resp;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The books of a real Redis and a real PostgreSQL whose states are set by hand. */
class ReconciliationTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Partitions PARTITIONS = new Partitions(8);
    private static final Partition PARTITION = PARTITIONS.all().get(0);
    private static EmbeddedRedis server;
    private static TestJournal test;
    private static Gate gate;
    private static Resp redis;
    private static OfferCache offers;
    private static StreamScan streams;
    private static Books books;
    private static RainBooks rains;

    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private final List<Long> witnessed = new ArrayList<>();
    private ReconciliationJob job;

    @BeforeAll
    static void start() {
        test = new TestJournal(Environments.ledger().freshDatabase());
        server = EmbeddedRedis.start();
        redis = Resp.connect(server.port());
        gate = new Gate(RedisClientType.STANDALONE, List.of(server.port()), Map.of(),
                loss -> { });
        offers = test.offers(PARTITIONS);
        streams = new StreamScan(gate.commands, test.config);
        books = new Books(test.ledger, offers, new SaleSnapshots(gate.commands), streams);
        rains = new RainBooks(test.ledger, gate.commands, PARTITIONS, streams);
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
        test.sql("UPDATE sales SET state = 'retired'");
        test.sql("UPDATE rains SET state = 'retired'");
        test.sql("UPDATE partitions SET seq = 0");
        test.sql("DELETE FROM leader_leases");
        redis.command("FLUSHALL");
        PARTITIONS.all().forEach(partition -> redis.command("SET", "rush:{" + partition.tag()
                + "}:layout", Integer.toString(Layout.newest())));
        redis.command("SET", key("seq"), "9");
        job = new ReconciliationJob(test.ledger, offers, books, rains,
                new LeaderLease(test.ledger, () -> false, Set::of),
                new SaleSnapshots(gate.commands), streams,
                (partition, stored, seq, redisMs) -> witnessed.add(stored - seq), test.config,
                metrics);
    }

    private static String key(String name) {
        return "rush:{" + PARTITION.tag() + "}:" + name;
    }

    /** A sale of nine apples in the partition that the journal's test puts all sales into. */
    private static String sale() {
        String sale;
        do {
            sale = test.sale("apple:9:0");
        } while (!PARTITIONS.of(sale).equals(PARTITION) || !isOnly(sale));
        redis.command("HSET", key("sale:" + sale + ":conf"), "definition", "{}");
        redis.command("HSET", key("sale:" + sale + ":buyers"), "", "");
        inRedis(sale, 0, 0);
        return sale;
    }

    private static boolean isOnly(String sale) {
        return test.sql("UPDATE sales SET state = 'retired' WHERE sale <> '" + sale + "'") != null;
    }

    private static void inRedis(String sale, int ordered, int credited) {
        redis.command("HSET", key("sale:" + sale + ":stock"), "apple:total", "9",
                "apple:ordered", Integer.toString(ordered), "apple:credited",
                Integer.toString(credited));
    }

    /** A rain of three envelopes, which Redis does not have. */
    private static String rain() {
        String rain;
        do {
            rain = test.id("rain");
        } while (!PARTITIONS.of(rain).equals(PARTITION));
        test.sql("INSERT INTO rains (rain, month, partition, definition, state, envelopes,"
                + " amount, limit_per_user) VALUES ('" + rain + "', " + TestJournal.MONTH
                + ", 0, '{}', 'loaded', 3, 6, 9)");
        return rain;
    }

    /** The first envelope has two. */
    private static void inRain(String rain, int granted, String... left) {
        redis.command("HSET", key("rain:" + rain + ":conf"), "count", "3", "amount", "6",
                "granted", Integer.toString(granted), "granted_amount",
                Integer.toString(2 * granted));
        for (String amount : left) {
            redis.command("RPUSH", key("rain:" + rain + ":envelopes"), amount);
        }
        redis.command("RPUSH", key("rain:" + rain + ":envelopes"), "");
        redis.command("HSET", key("rain:" + rain + ":takers"), "u", "line");
    }

    private double gauge(String name) {
        return metrics.find(name).gauge() == null ? Double.NaN : metrics.get(name).gauge().value();
    }

    private void awaitDrift(double units) {
        Await.until("the books drift by " + units, SOON, () -> {
            job.round();
            return gauge("rush.books.drift") == units;
        });
    }

    @Test
    void equalStoresBalance() {
        String sale = sale();
        test.order(sale, "u", null, "apple:2", 0);
        inRedis(sale, 2, 0);
        SaleBooks found = books.of(sale);
        assertThat(found.verdict()).isEqualTo(Verdict.BALANCED);
        assertThat(found.items()).hasSize(1).allSatisfy(item -> {
            assertThat(item.left()).isEqualTo(7);
            assertThat(item.confirmed()).isEqualTo(2);
        });
        assertThat(books.of("no-sale")).isNull();
        awaitDrift(0);
    }

    @Test
    void ordersInTheStreamCount() {
        String sale = sale();
        redis.command("XADD", key("orders"), "*", "purchase", sale + " 1 0 1 1 u "
                + UUID.randomUUID() + " key = apple:3 1");
        inRedis(sale, 3, 0);
        assertThat(books.of(sale).verdict()).isEqualTo(Verdict.BALANCED);
        assertThat(books.of(sale).items().get(0).inStream()).isEqualTo(3);
        awaitDrift(0);
    }

    @Test
    void pendingCreditsAreOwed() {
        String sale = sale();
        UUID order = test.order(sale, "u", null, "apple:2", 0);
        test.transact((connection, ledgerState) -> Steps.giveBack(connection, ledgerState,
                test.find(sale, order), Actor.service("test"), null));
        inRedis(sale, 2, 0);
        assertThat(books.of(sale).verdict()).isEqualTo(Verdict.BALANCED);
        assertThat(books.of(sale).items().get(0).creditPending()).isEqualTo(2);
        inRedis(sale, 0, 2);
        assertThat(books.of(sale).verdict()).isEqualTo(Verdict.BALANCED);
        assertThat(books.of(sale).items().get(0).creditPending()).isZero();
    }

    @Test
    void driftInRedisRaisesTheAlarmUntilItEnds() {
        String sale = sale();
        test.order(sale, "u", null, "apple:2", 0);
        inRedis(sale, 2, 0);
        awaitDrift(0);
        redis.command("HINCRBY", key("sale:" + sale + ":stock"), "apple:ordered", "1");
        awaitDrift(1);
        assertThat(gauge("rush.books.oversold")).isZero();
        redis.command("HINCRBY", key("sale:" + sale + ":stock"), "apple:ordered", "-2");
        awaitDrift(0);
        awaitDrift(1);
        assertThat(gauge("rush.books.oversold")).isEqualTo(1);
    }

    @Test
    void driftOfTheLedgersGuardRaisesTheAlarmAlthoughRedisDidNotChange() {
        String sale = sale();
        test.order(sale, "u", null, "apple:2", 0);
        inRedis(sale, 2, 0);
        awaitDrift(0);
        test.sql("UPDATE items SET sold = 5 WHERE sale = '" + sale + "'");
        awaitDrift(3);
        test.sql("UPDATE items SET sold = 2 WHERE sale = '" + sale + "'");
        awaitDrift(0);
        test.sql("UPDATE sums SET confirmed = 1 WHERE sale = '" + sale + "'");
        awaitDrift(1);
    }

    @Test
    void lostSaleIsNotLoaded() {
        String sale = sale();
        test.order(sale, "u", null, "apple:2", 0);
        redis.command("DEL", key("sale:" + sale + ":stock"));
        assertThat(books.of(sale).verdict()).isEqualTo(Verdict.NOT_LOADED);
        awaitDrift(2);
    }

    @Test
    void lostSaleIsNotLoadedHoweverMuchOthersSold() {
        String sale = sale();
        UUID order = test.order(sale, "u", null, "apple:2", 0);
        String rain = rain();
        test.sql("INSERT INTO orders SELECT gen_random_uuid(), month, block, 9 + i,"
                + " 9999999999999, pay_by_ms, partition, 'other', 'u' || i, key, digest, lines,"
                + " lefts FROM orders, generate_series(1, " + BookSums.AFTER_MAX
                + ") AS i WHERE id = '" + order + "'");
        test.sql("INSERT INTO grabs SELECT gen_random_uuid(), " + TestJournal.MONTH + ", 1, 9 + i,"
                + " 9999999999999, i, i, 1, 0, 'other', 'v', NULL FROM generate_series(1, "
                + BookSums.AFTER_MAX + ") AS i");
        redis.command("DEL", key("sale:" + sale + ":stock"));
        try {
            assertThat(books.of(sale).verdict()).isEqualTo(Verdict.NOT_LOADED);
            assertThat(rains.of(rain).verdict()).isEqualTo(Verdict.NOT_LOADED);
            // Emptied later than all that was sold.
            redis.command("DEL", key("seq"));
            test.sql("UPDATE grabs SET granted_at_ms = 1 WHERE rain = 'other'");
            inRain(rain, 0, "2", "1", "3");
            assertThat(rains.of(rain).verdict()).isEqualTo(Verdict.BALANCED);
        } finally {
            test.sql("DELETE FROM orders WHERE sale = 'other'");
            test.sql("DELETE FROM grabs WHERE rain = 'other'");
        }
    }

    @Test
    void numbersOfBothStoresAreCompared() {
        sale();
        test.sql("UPDATE partitions SET seq = 12 WHERE partition = 0");
        job.round();
        assertThat(witnessed).containsExactly(3L);
    }

    @Test
    void rainsAreCheckedToo() {
        String rain = rain();
        test.sql("UPDATE rains SET granted = 1, granted_amount = 2 WHERE rain = '" + rain + "'");
        inRain(rain, 1, "1", "3");
        assertThat(rains.of(rain).verdict()).isEqualTo(Verdict.BALANCED);
        // A grab that Redis granted later.
        test.sql("INSERT INTO grabs VALUES (gen_random_uuid(), " + TestJournal.MONTH
                + ", 1, 10, 9999999999999, 2, 1, 1, 0, '" + rain + "', 'v', NULL)");
        test.sql("UPDATE rains SET granted = 2, granted_amount = 3 WHERE rain = '" + rain + "'");
        assertThat(rains.of(rain).verdict()).isEqualTo(Verdict.BALANCED);
        awaitDrift(0);
        test.sql("UPDATE rains SET granted = 3, granted_amount = 6 WHERE rain = '" + rain + "'");
        assertThat(rains.of(rain).drift()).isEqualTo(-1);
        awaitDrift(1);
    }
}
