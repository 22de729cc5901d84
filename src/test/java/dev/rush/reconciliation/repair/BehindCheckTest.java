package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.LedgerState;
import dev.rush.redis.Layout;
import dev.rush.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The detection of PostgreSQL processes that lack commits, and its consequences. */
class BehindCheckTest extends RepairScene {
    private static final String BEHIND = "SELECT string_agg(partition || ' ' || (behind_since"
            + " = 'infinity'), ', ' ORDER BY partition) FROM partitions"
            + " WHERE behind_since IS NOT NULL";

    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private final BehindCheck check = check();

    private BehindCheck check() {
        return new BehindCheck(test.ledger, gate.commands, PARTITIONS, offers,
                new LeaderLease(test.ledger, () -> false, Set::of), test.config, metrics);
    }

    /** Makes this process appear to be a new one. */
    @BeforeEach
    void takeOver() {
        test.sql("UPDATE ledger SET server = 0, reserved = epoch");
        test.sql("UPDATE partitions SET seq = 10, behind_since = NULL");
        List.of("audit", "leader_leases").forEach(table -> test.sql("DELETE FROM " + table));
        test.sql("DELETE FROM reservations");
    }

    private static LedgerState ledgerState() {
        return test.transact((connection, ledgerState) -> ledgerState);
    }

    private static String ledgerKey(int partition) {
        return PARTITIONS.all().get(partition).key("ledger");
    }

    private void report(String kind, UUID order) {
        redis.command("LPUSH", PARTITION.key("reported"), MONTH + " " + order + " 1 " + kind
                + " buyer:u");
    }

    private double gauge() {
        return metrics.get("rush.ledger.behind.partitions").gauge().value();
    }

    @Test
    @DisplayName("A process that lacks nothing is checked once, in its own epoch")
    void sound() {
        redis.command("HSET", ledgerKey(3), "seq", "10", "epoch",
                Integer.toString(ledgerState().epoch() - 1));
        UUID order = test.order(sale, "u", "k", "apple:1", 0);
        giveBack(order);
        report("returned", order);
        redis.command("RPUSH", PARTITION.key("reported"), "", "not a step",
                "209901 " + UUID.randomUUID() + " 1 confirmed payer:p");
        int epoch = ledgerState().epoch();
        assertThat(ledgerState().checked()).isFalse();
        check.round();
        assertThat(ledgerState().checked()).isTrue();
        assertThat(ledgerState().epoch()).isEqualTo(epoch);
        assertThat(test.sql(BEHIND)).isNull();
        check.round();
        assertThat(ledgerState().epoch()).isEqualTo(epoch);
        assertThat(redis.text("HGET", ledgerKey(5), "epoch")).as("which fences late writers")
                .isEqualTo(Integer.toString(epoch));
        assertThat(gauge()).isZero();
    }

    @Test
    @DisplayName("If a Redis answers late with a later epoch, the ledger continues above it")
    void laterEpoch() {
        check.round();
        assertThat(ledgerState().checked()).isTrue();
        int later = ledgerState().epoch() + 3;
        redis.command("HSET", ledgerKey(4), "epoch", Integer.toString(later));
        test.sql("UPDATE partitions SET behind_since = 'infinity' WHERE partition = 4");
        for (int i = 0; i < 6; i++) {
            check.round();
        }
        assertThat(ledgerState().epoch()).isEqualTo(later + 1);
        assertThat(ledgerState().checked()).isTrue();
        assertThat(test.sql(BEHIND)).isEqualTo("4 false");
    }

    @Test
    @DisplayName("Partitions with missing numbers are behind, and nothing in them expires")
    void numbers() {
        test.order(sale, "u", "k", "apple:1", 5);
        redis.command("HSET", ledgerKey(0), "seq", "11", "epoch", "1");
        redis.command("HSET", ledgerKey(1), "seq", "10", "epoch", "1");
        check.round();
        assertThat(ledgerState().checked()).isTrue();
        assertThat(test.sql(BEHIND)).isEqualTo("0 false");
        assertThat(test.sql("SELECT actor || ' ' || action || ' ' || after FROM audit"))
                .isEqualTo("service:ledger ledger.behind {\"0\": \"it had number 11 and has"
                        + " 10\"}");
        check.round();
        assertThat(gauge()).isEqualTo(1);
        assertThat(test.sql("SELECT count(*) FROM audit")).isEqualTo("1");
    }

    @Test
    void failoverDuringARefillDefersNewOrdersAgain() {
        test.sql("UPDATE partitions SET behind_since = to_timestamp(9) WHERE partition = 0");
        redis.command("HSET", ledgerKey(0), "seq", "11", "epoch", "1");
        check.round();
        assertThat(test.sql("SELECT behind_since > to_timestamp(9) AND defers FROM partitions"
                + " WHERE partition = 0")).isEqualTo("t");
    }

    @Test
    @DisplayName("A partition is behind at once, however long it takes to put reservations on hold")
    void held() throws SQLException {
        test.order(sale, "u", "k", "apple:1", 5);
        redis.command("HSET", ledgerKey(0), "seq", "11", "epoch", "1");
        try (Connection busy = test.connect(); Statement statement = busy.createStatement()) {
            statement.execute("SELECT FROM reservations FOR UPDATE");
            check.round();
            busy.rollback();
        }
        assertThat(ledgerState().checked()).isTrue();
        assertThat(test.sql(BEHIND)).isEqualTo("0 false");
    }

    @Test
    @DisplayName("A reported step that is missing, or replaced by another, is detected")
    void steps() {
        UUID order = test.order(sale, "u", "k", "apple:1", 0);
        giveBack(order);
        report("confirmed", order);
        check.round();
        assertThat(test.sql(BEHIND)).isEqualTo("0 false");
    }

    private static void list(String id, String month) {
        redis.command("HSET", PARTITION.key("rain:" + id + ":conf"), "definition", "{}",
                "created_at", "1769000000000", "release", "r", "month", month);
        redis.command("ZADD", PARTITION.key("rains"), "1", id);
    }

    @Test
    @DisplayName("A missing rain is detected only if a ledger had released it")
    void prepared() {
        list("without-ledger", "0");
        list("of-another-month", "202603");
        list("not-a-month", "x");
        redis.command("ZADD", PARTITION.key("rains"), "1", "lost");
        redis.command("ZADD", PARTITION.key("sales"), "1", sale);
        check.round();
        assertThat(test.sql(BEHIND)).isNull();
        test.sql("UPDATE ledger SET server = 0");
        list("lacking", "202601");
        check.round();
        assertThat(test.sql(BEHIND)).isEqualTo("0 false");
        assertThat(test.sql("SELECT after ->> '0' FROM audit"))
                .isEqualTo("lacking is missing, which was prepared");
    }

    @Test
    @DisplayName("A missing expiry that freed units for others is detected")
    void expired() {
        UUID order = test.order(sale, "u", "k", "apple:1", 5);
        redis.command("LPUSH", PARTITION.key("expired"), MONTH + " " + order
                + " 1 expired service:expiry");
        check.round();
        assertThat(test.sql(BEHIND)).isEqualTo("0 false");
    }

    private String total() {
        return test.sql("SELECT total || ' ' || version FROM items WHERE sale = '" + sale + "'");
    }

    @Test
    @DisplayName("I1: a lost raise of a total is repeated before anything is refused")
    void raised() {
        test.sql("UPDATE sales SET partitions = '{0,3}' WHERE sale = '" + sale + "'");
        redis.command("ZADD", PARTITION.key("sales"), "1", sale, "1", "gone");
        redis.command("HSET", key("stock"), "apple:total", "8", "apple:whole", "20",
                "apple:version", "2", "pear:version", "1", "plum:version", "1",
                "plum:total", "many");
        check.round();
        assertThat(total()).isEqualTo("20 2");
        assertThat(test.sql(BEHIND)).isEqualTo("0 false, 3 false");
        test.sql("UPDATE partitions SET behind_since = NULL");
        test.sql("UPDATE ledger SET server = 0");
        redis.command("HSET", key("stock"), "apple:whole", "30");
        check.round();
        assertThat(total()).as("the same change").isEqualTo("20 2");
        assertThat(test.sql(BEHIND)).isNull();
        test.sql("UPDATE ledger SET server = 0");
        redis.command("HSET", key("stock"), "apple:whole", "10", "apple:version", "3");
        check.round();
        assertThat(total()).as("lowered").isEqualTo("20 3");
        assertThat(test.sql("SELECT string_agg(concat_ws(' ', actor, subject, after), ', ' ORDER BY"
                + " place) FROM audit WHERE action = 'item.total-restored'"))
                .isEqualTo("service:ledger " + sale + "/apple 20, service:ledger " + sale
                        + "/apple 20");
    }

    @Test
    @DisplayName("An epoch that Redis knows is not used again")
    void epochs() {
        int epoch = ledgerState().epoch();
        redis.command("HSET", ledgerKey(2), "seq", "1", "epoch", Integer.toString(epoch + 7));
        check.round();
        assertThat(ledgerState()).isEqualTo(new LedgerState(epoch + 8, true,
                ledgerState().server()));
        assertThat(test.sql(BEHIND)).isEqualTo("2 false");
    }

    @Test
    @DisplayName("A process that lost another's check does not share its epoch")
    void epochOfAnother() {
        int epoch = ledgerState().epoch();
        redis.command("HSET", ledgerKey(2), "seq", "10", "epoch", Integer.toString(epoch));
        check.round();
        assertThat(ledgerState()).isEqualTo(new LedgerState(epoch + 1, true,
                ledgerState().server()));
        assertThat(redis.text("HGET", ledgerKey(2), "epoch")).as("fences the other one")
                .isEqualTo(Integer.toString(epoch + 1));
        assertThat(test.sql(BEHIND)).as("more may be lost").isEqualTo("2 false");
    }

    @Test
    @DisplayName("Epochs of checks that were never committed indicate no loss")
    void brokenOff() {
        int epoch = ledgerState().epoch();
        test.sql("UPDATE ledger SET reserved = epoch + 2");
        redis.command("HSET", ledgerKey(2), "seq", "10", "epoch", Integer.toString(epoch + 1));
        check.round();
        assertThat(ledgerState().epoch()).isEqualTo(epoch + 2);
        assertThat(test.sql(BEHIND)).isNull();
    }

    @Test
    @DisplayName("The ledger is never below an epoch that another check wrote to Redis meanwhile")
    void overlapping() throws Exception {
        int epoch = ledgerState().epoch();
        report("confirmed", test.order(sale, "u", "k", "apple:1", 5));
        CompletableFuture<Boolean> first;
        try (Connection busy = test.connect(); Statement statement = busy.createStatement()) {
            statement.execute("LOCK TABLE steps");
            first = CompletableFuture.supplyAsync(check::round);
            Await.until("the check waits to commit", Duration.ofSeconds(20), () -> test.sql(
                    "SELECT count(*) FROM pg_locks WHERE NOT granted").equals("1"));
            // A check that ends here.
            CheckEpoch other = test.transact((connection, ledgerState) ->
                    CheckEpoch.reserve(connection, ledgerState, Map.of(0, epoch)));
            Evidence.read(gate.commands, PARTITION, other.epoch()).join();
            busy.rollback();
        }
        first.handle((done, failure) -> failure).join();
        // On a slow machine PostgreSQL may not have let the first one wait for so long.
        check.round();
        assertThat(ledgerState().checked()).isTrue();
        assertThat(redis.text("HGET", ledgerKey(0), "epoch"))
                .isEqualTo(Integer.toString(ledgerState().epoch()));
    }

    @Test
    @DisplayName("A partition whose Redis does not answer is behind until it does")
    void silent() {
        String layout = PARTITIONS.all().get(4).key(Layout.NAME);
        // No release supports this layout, so the service refuses to read the data.
        redis.command("SET", layout, "999");
        redis.command("LPUSH", PARTITIONS.all().get(4).key("reported"), "");
        check.round();
        assertThat(ledgerState().checked()).isTrue();
        assertThat(test.sql(BEHIND)).isEqualTo("4 true");
        assertThat(test.sql("SELECT count(*) FROM audit")).isEqualTo("0");
        redis.command("SET", layout, Integer.toString(Layout.newest()));
        for (int round = 0; round < 5; round++) {
            check.round();
        }
        assertThat(test.sql(BEHIND)).isNull();
        test.sql("UPDATE partitions SET behind_since = 'infinity' WHERE partition = 4");
        redis.command("HSET", ledgerKey(4), "seq", "11", "epoch", "1");
        for (int round = 0; round < 5; round++) {
            check.round();
        }
        assertThat(test.sql(BEHIND)).isEqualTo("4 false");
    }
}
