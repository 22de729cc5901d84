package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.TestJournal;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Resp;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.redis.client.RedisClientType;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The watch of sales that open, close and sell out, on a real Redis and a real journal. */
class OfferWatchTest {
    private static final int HOUR_MS = 3_600_000;
    private static final Duration SOON = Duration.ofSeconds(30);
    private static String url;
    private static EmbeddedRedis redis;
    private static TestJournal journal;
    private static Gate gate;
    private static Resp resp;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final OfferWatch watch = pod(journal.ledger, registry);

    @BeforeAll
    static void start() {
        url = Environments.ledger().freshDatabase();
        journal = new TestJournal(url);
        redis = EmbeddedRedis.start();
        resp = Resp.connect(redis.port());
        gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()),
                Map.of("rush.deadline", "PT30S"), loss -> { });
    }

    @AfterAll
    static void stop() throws Exception {
        gate.close();
        resp.close();
        redis.close();
        journal.close();
    }

    @BeforeEach
    void prepare() {
        resp.command("FLUSHALL");
        for (Partition partition : Gate.PARTITIONS.all()) {
            resp.command("SET", partition.key(Layout.NAME), Integer.toString(Layout.newest()));
        }
        for (String table : List.of("audit", "watched", "leader_leases")) {
            journal.sql("DELETE FROM " + table);
        }
    }

    private static OfferWatch pod(Ledger ledger, MeterRegistry meters, Integer... refused) {
        return new OfferWatch(ledger,
                new LeaderLease(ledger, () -> false, () -> Set.of(refused)), gate.commands,
                Gate.PARTITIONS, journal.config, meters);
    }

    private void roundUntilDone() {
        Await.until("nothing more is due", SOON, () -> !watch.round());
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    /** Redis's time plus this number of milliseconds. */
    private static long in(long ms) {
        return Long.parseLong((String) resp.list("TIME").get(0)) * 1000 + ms;
    }

    private static String conf(String sale) {
        return Gate.PARTITIONS.of(sale).key("sale:" + sale + ":conf");
    }

    /** A sale that both stores have. */
    private static String sale(long opensAt, long closesAt) {
        String sale = journal.sale("a:1:0");
        journal.sql(("UPDATE sales SET definition = '{\"opensAt\":%d,\"closesAt\":%d}',"
                + " ends_at_ms = %d WHERE sale = '%s'").formatted(opensAt, closesAt, closesAt,
                sale));
        resp.command("HSET", conf(sale), "definition", "{}");
        return sale;
    }

    private static List<String> recorded(String sale) {
        String actions = journal.sql("SELECT string_agg(action, ' ' ORDER BY xact, place)"
                + " FROM audit WHERE subject = '" + sale + "'");
        return actions == null ? List.of() : List.of(actions.split(" "));
    }

    @Test
    @DisplayName("E1: due sales open and close; a sale whose window has passed does both; others"
            + " wait")
    void opensAndClosesDueSales() {
        String open = sale(in(-HOUR_MS), in(HOUR_MS));
        String later = sale(in(HOUR_MS), 0);
        String past = sale(in(-2 * HOUR_MS), in(-HOUR_MS));
        for (int i = 0; i < 3; i++) {
            watch.round();
        }
        assertThat(recorded(open)).containsExactly("sale.opened");
        assertThat(recorded(later)).isEmpty();
        assertThat(recorded(past)).containsExactly("sale.opened", "sale.closed");
        journal.sql("UPDATE items SET sold = 1 WHERE sale IN ('" + open + "', '" + later + "')");
        watch.round();
        watch.round();
        assertThat(recorded(open)).containsExactly("sale.opened", "sale.sold-out");
        assertThat(recorded(later)).isEmpty();
    }

    @Test
    @DisplayName("E1: when another pod takes the lead at any moment, no change is recorded twice"
            + " or missed")
    void changesHands() {
        List<String> sales = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            sales.add(sale(in(-HOUR_MS), in(HOUR_MS)));
        }
        watch.round();
        journal.sql("UPDATE leader_leases SET until = now() + interval '1 hour'");
        OfferWatch other = pod(journal.ledger, new SimpleMeterRegistry());
        String fresh = sale(0, 0);
        other.round();
        assertThat(recorded(fresh)).as("the other pod does not lead").isEmpty();
        journal.sql("UPDATE leader_leases SET until = now() - interval '1 s'");
        journal.sql("UPDATE items SET sold = 1");
        // As if the first pod had died before it stored its progress.
        journal.sql("UPDATE watched SET opened = false, reached_ms = 0, due_at_ms = 0");
        for (int i = 0; i < 3; i++) {
            other.round();
            watch.round();
        }
        sales.add(fresh);
        assertThat(sales).allSatisfy(sale ->
                assertThat(recorded(sale)).containsExactly("sale.opened", "sale.sold-out"));
    }

    @Test
    @DisplayName("E1: while Redis has a later change than the ledger, nothing is recorded")
    void waitsForTheChange() {
        String paused = sale(in(-HOUR_MS), 0);
        String moved = sale(in(-HOUR_MS), in(-1));
        resp.command("HSET", conf(paused), "control", "7");
        resp.command("HSET", conf(moved), "schedule", "7");
        watch.round();
        assertThat(recorded(paused)).isEmpty();
        assertThat(recorded(moved)).isEmpty();
        journal.sql("UPDATE sales SET control = 7, paused = paused WHERE sale IN ('" + paused
                + "', '" + moved + "')");
        watch.round();
        assertThat(recorded(paused)).containsExactly("sale.opened");
        assertThat(recorded(moved)).containsExactly("sale.opened", "sale.closed");
    }

    @Test
    @DisplayName("E1: more sales than a round takes open at one moment without a pause in between")
    void opensManyAtOnce() {
        List<String> sales = new ArrayList<>();
        for (int i = 0; i < 450; i++) {
            sales.add(sale(in(-HOUR_MS), 0));
        }
        roundUntilDone();
        assertThat(sales).allSatisfy(sale ->
                assertThat(recorded(sale)).containsExactly("sale.opened"));
    }

    @Test
    @DisplayName("E1: more open sales than a round takes are checked in one pass")
    void checksAllOpenSales() {
        String last = sale(in(-HOUR_MS), 0);
        watch.round();
        journal.sql("INSERT INTO watched (is_sale, offer, due_at_ms, opened)"
                + " SELECT true, 'a' || n, NULL, true FROM generate_series(1, 2500) n");
        journal.sql("UPDATE items SET sold = 1 WHERE sale = '" + last + "'");
        roundUntilDone();
        assertThat(recorded(last)).containsExactly("sale.opened", "sale.sold-out");
    }

    @Test
    @DisplayName("E1: a watch that cannot read the ledger is late; only the leader has the gauges")
    void measuresHowLateItIs() {
        assertThat(registry.find("rush.watch.lag").gauge()).isNull();
        watch.round();
        journal.sql("ALTER TABLE rains RENAME TO rains_away");
        try {
            Await.until("the watch is late", SOON, () -> {
                assertThatThrownBy(watch::round).isInstanceOf(LedgerFailure.class);
                return gauge("rush.watch.lag") > 3;
            });
        } finally {
            journal.sql("ALTER TABLE rains_away RENAME TO rains");
        }
        double late = gauge("rush.watch.lag");
        watch.round();
        assertThat(gauge("rush.watch.lag")).isLessThan(late);
        journal.sql("UPDATE leader_leases SET holder = 'another',"
                + " until = now() + interval '1 hour'");
        watch.round();
        assertThat(registry.find("rush.watch.lag").gauge()).isNull();
        assertThat(registry.find("rush.events.held").gauge()).isNull();
    }

    @Test
    @DisplayName("E1: a transaction that is left open holds events back, which is measured")
    void measuresHeldEvents() throws SQLException {
        journal.sql("UPDATE ledger SET checked_at = now()");
        watch.round();
        assertThat(gauge("rush.events.held")).isZero();
        try (Connection open = DriverManager.getConnection(url);
                Statement statement = open.createStatement()) {
            open.setAutoCommit(false);
            statement.execute("SELECT pg_current_xact_id()");
            sale(0, 0);
            Await.until("the gauge rises", SOON, () -> {
                watch.round();
                return gauge("rush.events.held") > 0.5;
            });
            open.rollback();
        }
        watch.round();
        assertThat(gauge("rush.events.held")).isZero();
    }

    @Test
    @DisplayName("E1: sales that have to wait delay no others, however many they are")
    void skipsSalesThatWait() {
        List<String> waiting = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            waiting.add(sale(in(-HOUR_MS), 0));
            resp.command("HSET", conf(waiting.get(i)), "control", "7");
        }
        String fine = sale(in(-HOUR_MS), 0);
        journal.sql("UPDATE watched SET due_at_ms = 1 WHERE offer = '" + fine + "'");
        roundUntilDone();
        assertThat(recorded(fine)).containsExactly("sale.opened");
        assertThat(waiting).allSatisfy(sale -> assertThat(recorded(sale)).isEmpty());
        journal.sql("UPDATE sales SET control = 7");
        journal.sql("UPDATE watched SET due_at_ms = 0 WHERE NOT opened");
        roundUntilDone();
        assertThat(waiting).allSatisfy(sale ->
                assertThat(recorded(sale)).containsExactly("sale.opened"));
    }

    @Test
    @DisplayName("E1: a sale that Redis lacks, or is still loading, does not open; neither delays"
            + " others")
    void skipsSalesThatRedisLacks() {
        String lost = sale(0, 0);
        String held = sale(0, 0);
        resp.command("DEL", conf(lost));
        resp.command("HSET", conf(held), "loading", "epoch");
        String fine = sale(0, 0);
        watch.round();
        assertThat(recorded(fine)).containsExactly("sale.opened");
        assertThat(recorded(lost)).isEmpty();
        assertThat(recorded(held)).isEmpty();
        resp.command("HDEL", conf(held), "loading");
        journal.sql("UPDATE watched SET due_at_ms = 0");
        watch.round();
        assertThat(recorded(held)).containsExactly("sale.opened");
    }

    @Test
    @DisplayName("E1: a sale in a partition that this pod must not read is left to another")
    void skipsRefusedPartitions() {
        String sale = sale(0, 0);
        pod(journal.ledger, registry, Gate.PARTITIONS.of(sale).index()).round();
        assertThat(recorded(sale)).isEmpty();
        journal.sql("UPDATE watched SET due_at_ms = 0");
        watch.round();
        assertThat(recorded(sale)).containsExactly("sale.opened");
    }
}
