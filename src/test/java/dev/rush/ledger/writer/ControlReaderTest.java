package dev.rush.ledger.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.ledger.TestJournal;
import dev.rush.redis.Change;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Partitions;
import dev.rush.redis.Script;
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

/** Changes that scripts of a real Redis decide reach a real journal. */
class ControlReaderTest {
    private static final Partition PARTITION = Gate.PARTITIONS.all().get(0);
    private static final Script CONTROL = Script.load("offer/control");
    private static final Script RESCHEDULE = Script.load("sale/reschedule");
    private static final Script BLOCK = Script.load("http/block");
    private static final String ANN = "operator:ann";
    private static EmbeddedRedis redis;
    private static TestJournal journal;
    private static Gate gate;
    private static Resp resp;

    private final ControlReader reader = new ControlReader(journal.ledger, gate.commands);
    private final long token = new StoreScene(journal).token();
    private final String sale = journal.sale("a:9:0");

    @BeforeAll
    static void start() {
        journal = new TestJournal(Environments.ledger().freshDatabase());
        redis = EmbeddedRedis.start();
        resp = Resp.connect(redis.port());
        gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()), Map.of(),
                loss -> { });
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
        for (Partition partition : List.of(PARTITION, Partitions.BLOCKLIST)) {
            resp.command("SET", partition.key(Layout.NAME), Integer.toString(Layout.newest()));
        }
        journal.sql("DELETE FROM audit");
        resp.command("HSET", key("conf"), "paused", "0", "closed_at", "0", "closes_at", "0");
    }

    private String key(String part) {
        return PARTITION.key("sale:" + sale + ":" + part);
    }

    private void control(String action, String cause) {
        Change change = Change.of("sale", sale, ANN, cause);
        Keys keys = PARTITION.keys().sale(sale, "conf").unfinished();
        gate.commands.change(CONTROL, change.keys(keys),
                change.args(action, "unknown-sale", "-", "-")).join();
    }

    private void poll() {
        reader.poll(PARTITION, token, Runnable::run).join();
    }

    private long waiting(Partition partition) {
        return resp.number("XLEN", partition.key("control"));
    }

    private String kept() {
        return journal.sql("SELECT concat_ws(' ', paused, closed_at_ms) FROM sales WHERE sale = '"
                + sale + "'");
    }

    private static String audited() {
        return journal.sql("SELECT string_agg(concat_ws(' ', actor, action, before, after, cause),"
                + " ', ' ORDER BY xact, place) FROM audit WHERE actor <> 'service:watch'");
    }

    @Test
    @DisplayName("The ledger records who paused, resumed and closed a sale, and why")
    void controlled() {
        control("pause", "a fire");
        control("resume", null);
        poll();
        assertThat(waiting(PARTITION)).isZero();
        assertThat(kept()).isEqualTo("f 0");
        control("pause", null);
        control("close", null);
        String closedAt = resp.text("HGET", key("conf"), "closed_at");
        poll();
        assertThat(kept()).isEqualTo("t " + closedAt);
        assertThat(audited()).isEqualTo("operator:ann sale.paused false true a fire, "
                + "operator:ann sale.resumed true false, operator:ann sale.paused false true, "
                + "operator:ann sale.closed 0 " + closedAt);
        poll();
        assertThat(kept()).isEqualTo("t " + closedAt);
    }

    @Test
    @DisplayName("New times without an end are skipped, and do not hold up other changes")
    void rescheduledWithoutEnd() {
        resp.command("XADD", PARTITION.key("control"), "*", "change", UUID.randomUUID() + " sale "
                + sale + " reschedule 1 0 " + ANN + " - -", "terms", "{}");
        control("pause", null);
        poll();
        assertThat(waiting(PARTITION)).isZero();
        assertThat(kept()).isEqualTo("t 0");
    }

    @Test
    @DisplayName("Terms that are not a definition are skipped, and do not hold up other changes")
    void rescheduledWithoutDefinition() {
        for (String terms : List.of("", "{", "7", "{}",
                "{\"title\":\"a\\u0000\",\"opensAt\":0,\"closesAt\":7}",
                "{\"title\":\"a\",\"opensAt\":\"now\",\"closesAt\":7}",
                "{\"title\":\"a\",\"opensAt\":99999999999999999999,\"closesAt\":7}",
                "{\"title\":\"a\",\"opensAt\":0,\"closesAt\":7}, \0")) {
            resp.command("XADD", PARTITION.key("control"), "*", "change", UUID.randomUUID()
                    + " sale " + sale + " reschedule 1 0 " + ANN + " - 7", "terms", terms);
        }
        control("pause", null);
        poll();
        assertThat(waiting(PARTITION)).isZero();
        assertThat(kept()).isEqualTo("t 0");
        assertThat(audited()).isEqualTo("operator:ann sale.paused false true");
    }

    @Test
    @DisplayName("A change that PostgreSQL cannot store does not hold up other changes")
    void unprintable() {
        String change = UUID.randomUUID() + " sale " + sale + " pause 0 1 " + ANN + " - -";
        resp.command("XADD", PARTITION.key("control"), "*", "change", change, "cause", "\0");
        resp.command("XADD", PARTITION.key("control"), "*", "change",
                change.replace(sale, sale + "\0"));
        control("pause", null);
        poll();
        assertThat(waiting(PARTITION)).isZero();
        assertThat(audited()).isEqualTo("operator:ann sale.paused false true");
    }

    private void reschedule(String earlier, String definition, long opensAt, long closesAt) {
        Change change = Change.of("sale", sale, ANN, null);
        Keys keys = PARTITION.keys().sale(sale, "conf").unfinished();
        assertThat(gate.commands.change(RESCHEDULE, change.keys(keys), change.args(definition,
                Long.toString(opensAt), Long.toString(closesAt), earlier, "-", "-")).join()
                .text()).startsWith("done ");
    }

    @Test
    @DisplayName("The ledger records a sale's new times, who set them, and the previous ones")
    void rescheduled() {
        String first = "{\"title\":\"a\",\"opensAt\":0,\"closesAt\":0}";
        String second = "{\"title\":\"b\",\"opensAt\":0,\"closesAt\":4102444800000}";
        String third = "{\"title\":\"b\",\"opensAt\":0,\"closesAt\":0}";
        resp.command("HSET", key("conf"), "definition", first);
        journal.sql("UPDATE sales SET definition = '" + first + "' WHERE sale = '" + sale + "'");
        reschedule(first, second, 0, 4102444800000L);
        control("pause", null);
        poll();
        assertThat(journal.sql("SELECT concat_ws(' ', definition, ends_at_ms, paused) FROM sales"
                + " WHERE sale = '" + sale + "'")).isEqualTo(second + " 4102444800000 t");
        reschedule(second, third, 0, 0);
        poll();
        assertThat(journal.sql("SELECT concat_ws(' ', definition, ends_at_ms, paused) FROM sales"
                + " WHERE sale = '" + sale + "'")).isEqualTo(third + " 0 t");
        assertThat(waiting(PARTITION)).isZero();
        assertThat(audited()).isEqualTo("operator:ann sale.rescheduled"
                + " {\"title\": \"a\", \"closesAt\": null}"
                + " {\"title\": \"b\", \"closesAt\": \"2100-01-01T00:00:00Z\"}, "
                + "operator:ann sale.paused false true, operator:ann sale.rescheduled"
                + " {\"closesAt\": \"2100-01-01T00:00:00Z\"} {\"closesAt\": null}");
    }

    private static String changes() {
        return journal.sql("SELECT string_agg(action, ', ' ORDER BY xact, place) FROM audit");
    }

    @Test
    @DisplayName("E1: events due before a change are recorded before it, and those that it causes"
            + " after it")
    void times() {
        control("pause", null);
        control("resume", null);
        control("pause", null);
        control("close", null);
        poll();
        assertThat(changes()).isEqualTo("sale.opened, sale.paused, sale.resumed, sale.paused,"
                + " sale.closed");
        assertThat(journal.sql("SELECT count(*) FROM watched WHERE offer = '" + sale + "'"))
                .isEqualTo("0");
    }

    @Test
    @DisplayName("E1: a sale that was paused at its opening opens when it is resumed")
    void opensWhenItGoesOn() {
        journal.sql("UPDATE sales SET paused = true WHERE sale = '" + sale + "'");
        resp.command("HSET", key("conf"), "paused", "1");
        control("resume", null);
        poll();
        assertThat(changes()).isEqualTo("sale.resumed, sale.opened");
    }

    @Test
    @DisplayName("A redelivered change is recorded once, and undoes no later one")
    void again() {
        control("pause", null);
        Object entry = ((List<?>) resp.list("XRANGE", PARTITION.key("control"), "-", "+").get(0))
                .get(1);
        poll();
        control("resume", null);
        poll();
        resp.command("XADD", PARTITION.key("control"), "*", "change",
                (String) ((List<?>) entry).get(1));
        poll();
        assertThat(waiting(PARTITION)).isZero();
        assertThat(kept()).isEqualTo("f 0");
        assertThat(journal.sql("SELECT count(*) FROM audit WHERE actor = '" + ANN + "'"))
                .isEqualTo("2");
    }

    @Test
    @DisplayName("A writer that has lost the partition records nothing, and nothing is lost")
    void fenced() {
        control("pause", null);
        reader.poll(PARTITION, token - 1, Runnable::run).join();
        assertThat(waiting(PARTITION)).isEqualTo(1);
        assertThat(kept()).isEqualTo("f 0");
        poll();
        assertThat(kept()).isEqualTo("t 0");
    }

    @Test
    @DisplayName("An entry that no script wrote delays no other")
    void strange() {
        for (String change : List.of("", "id sale s pause 1 2 operator:x 0 1",
                "00000000-0000-0000-0000-000000000000 sale s burn 1 2 operator:x 0 1",
                "00000000-0000-0000-0000-000000000000 sale s reschedule 1 2 operator:x 0 1",
                "00000000-0000-0000-0000-000000000000 sale s pause 1 2 nobody 0 1",
                "00000000-0000-0000-0000-000000000000 sale s pause one 2 operator:x 0 1")) {
            resp.command("XADD", PARTITION.key("control"), "*", "change", change);
        }
        control("pause", null);
        poll();
        assertThat(waiting(PARTITION)).isZero();
        assertThat(audited()).isEqualTo("operator:ann sale.paused false true");
    }

    @Test
    @DisplayName("The ledger records who blocked whom")
    void blocked() {
        Change change = Change.of("blocklist", "eve", ANN, null);
        gate.commands.change(BLOCK, change.keys(Partitions.BLOCKLIST.keys()
                .named("users", "changes")), change.args("add", "eve", "nonce", "9", "9")).join();
        assertThat(waiting(Partitions.BLOCKLIST)).isEqualTo(1);
        poll();
        assertThat(waiting(Partitions.BLOCKLIST)).isZero();
        assertThat(audited()).isEqualTo("operator:ann blocklist.added 0 1");
        assertThat(journal.sql("SELECT subject FROM audit")).isEqualTo("eve");
    }
}
