package dev.rush.reconciliation.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Word;
import dev.rush.ledger.Actor;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Steps;
import dev.rush.ledger.TestJournal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archiving a month of a real journal. */
class ArchiveTest {
    private static final String MONTH = "2026-01";
    private static final Actor ANN = new Actor("operator:ann");
    private static EmbeddedLedger postgres;

    private final TestJournal test = new TestJournal(postgres.freshDatabase());
    private final LeaderLease lease = new LeaderLease(test.ledger, () -> false, Set::of);
    private final Archive archive = new Archive(test.ledger, lease, test.config);
    private String sale;
    private UUID order;

    @BeforeAll
    static void start() {
        postgres = EmbeddedLedger.start();
    }

    @AfterAll
    static void stop() throws Exception {
        postgres.close();
    }

    @BeforeEach
    void sell() {
        sale = test.sale("apple:9:0");
        order = test.order(sale, "u", "k", "apple:1", 0);
        test.order(sale, "v", null, "apple:2", 0);
        test.transact((connection, ledgerState) -> Steps.giveBack(connection, ledgerState,
                test.find(sale, order), ANN, null));
        test.sql("DELETE FROM credits");
        test.sql("INSERT INTO returns (id, sale, user_id, key, state, actor) VALUES"
                + " (gen_random_uuid(), '" + sale + "', 'u', 'never', 'void', 'buyer:u')");
    }

    @AfterEach
    void close() throws SQLException {
        test.close();
    }

    private void retire() {
        test.sql("UPDATE sales SET state = 'retired'");
    }

    private Problem refused(String month) {
        return refused(archive, month);
    }

    private static Problem refused(Archive archive, String month) {
        Problem[] problem = new Problem[1];
        assertThatThrownBy(() -> archive.archive(month, ANN)).isInstanceOfSatisfying(
                ProblemException.class, e -> problem[0] = e.problem());
        return problem[0];
    }

    private static String text(Problem problem) {
        return new String(problem.body(), StandardCharsets.UTF_8);
    }

    private String rows(String table) {
        return test.sql("SELECT count(*) FROM " + table);
    }

    private String attached() {
        return test.sql("SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
                + " WHERE c.relkind = 'r' AND c.relname LIKE '%202601'");
    }

    private void assertArchived(Archive.Month month) {
        assertThat(month.month()).isEqualTo(MONTH);
        assertThat(month.tables()).contains(new Archive.Table("archive.orders_202601", 2),
                new Archive.Table("archive.blocks_202601", 2),
                new Archive.Table("archive.steps_202601", 1),
                new Archive.Table("archive.grabs_202601", 0),
                new Archive.Table("archive.returns_202601", 1),
                new Archive.Table("archive.sales_202601", 1),
                new Archive.Table("archive.items_202601", 1)).hasSize(12);
        assertThat(month.rows()).isEqualTo(
                month.tables().stream().mapToLong(Archive.Table::rows).sum());
        assertThat(attached()).isEqualTo("0");
        month.tables().forEach(table -> assertThat(rows(table.table())).as(table.table())
                .isEqualTo(Long.toString(table.rows())));
        assertThat(List.of(rows("orders"), rows("steps"), rows("returns"))).containsOnly("0");
        assertThat(test.sql("SELECT state FROM sales")).isEqualTo("archived");
        assertThat(test.sold(sale)).isEqualTo("apple 2");
        assertThat(test.sums(sale)).isEqualTo("apple 3 0 2 0 1 0");
        assertThat(test.find(sale, order)).isNull();
    }

    @Test
    @DisplayName("A2: a month whose sales are retired leaves the ledger, once")
    void archived() {
        retire();
        Archive.Month first = archive.archive(MONTH, ANN);
        assertArchived(first);
        assertThat(archive.archive(MONTH, ANN)).isEqualTo(first);
        assertThat(test.sql("SELECT string_agg(concat_ws(' ', actor, action, subject, after), ',')"
                + " FROM audit")).isEqualTo("operator:ann month.archived 2026-01 {\"rows\": "
                + first.rows() + "}");
        assertThat(test.sql("SELECT ensure_month(202602)")).isEqualTo("t");
        assertThat(refused("2026-03").word()).isEqualTo(Word.INVALID_REQUEST);
    }

    @Test
    @DisplayName("A2: repeating the call completes an archiving that was interrupted anywhere")
    void cutOff() throws SQLException {
        retire();
        test.sql("ALTER TABLE orders DETACH PARTITION orders_202601");
        test.sql("ALTER TABLE grabs DETACH PARTITION grabs_202601");
        assertThat(test.sql("SELECT archive.take('grabs', 202601)")).isEqualTo("0");
        try (Connection reader = test.connect(); Statement reads = reader.createStatement();
                Connection other = test.connect(); Statement detaches = other.createStatement()) {
            reads.execute("SELECT FROM steps");
            other.setAutoCommit(true);
            detaches.execute("SET statement_timeout = '300ms'");
            assertThatThrownBy(() -> detaches.execute(
                    "ALTER TABLE steps DETACH PARTITION steps_202601 CONCURRENTLY"))
                    .isInstanceOf(SQLException.class);
        }
        assertThat(test.sql("SELECT count(*) FROM pg_inherits WHERE inhdetachpending"))
                .isEqualTo("1");
        assertArchived(archive.archive(MONTH, ANN));
    }

    @Test
    @DisplayName("A2: a month stays while any of its sales is not retired or has something open")
    void notRetired() {
        Problem problem = refused(MONTH);
        assertThat(problem.word()).isEqualTo(Word.NOT_RETIRED);
        assertThat(text(problem)).contains("\"subjects\":[\"" + sale + "\"]");
        retire();
        for (String open : List.of(
                "INSERT INTO reservations SELECT 0, 1, id, month, sale, user_id, lines FROM orders",
                "INSERT INTO credits SELECT 0, now(), id, month, 1, false, '', sale, user_id,"
                        + " lines FROM orders",
                "UPDATE returns SET state = 'parked'",
                "INSERT INTO rains (rain, month, partition, definition, state, envelopes, amount,"
                        + " limit_per_user) VALUES ('r', 202601, 0, '{}', 'loaded', 1, 1, 1)")) {
            assertThat(test.sql(open)).isNotEqualTo("0");
            assertThat(refused(MONTH).word()).as(open).isEqualTo(Word.NOT_RETIRED);
            test.sql("DELETE FROM reservations");
            test.sql("DELETE FROM credits");
            test.sql("UPDATE returns SET state = 'void'");
            test.sql("UPDATE rains SET state = 'retired'");
        }
        assertThat(test.sql("SELECT state FROM sales")).isEqualTo("retired");
        assertThat(attached()).isEqualTo("6");
        assertThat(archive.archive(MONTH, ANN).tables()).isNotEmpty();
        assertThat(test.sql("SELECT state FROM rains")).isEqualTo("archived");
    }

    /** The position of the last event, which is a step, as SQL values. */
    private String lastEvent() {
        // The place of a step in the feed: EventReader.AFTER_ITEMS + place.
        return test.sql("SELECT concat_ws(', ', epoch, xact, place + (1::bigint << 32))"
                + " FROM steps");
    }

    @Test
    @DisplayName("A2: a month stays until all webhooks have read its events")
    void unreadByWebhooks() {
        retire();
        String last = lastEvent();
        for (String webhook : List.of("'ahead', " + last, "'slow', 1, 0, 0")) {
            test.sql("INSERT INTO webhooks (webhook, epoch, xact, place, url, types, secret)"
                    + " VALUES (" + webhook + ", '', '{}', '')");
        }
        assertThat(text(refused(MONTH))).contains("\"subjects\":[\"webhook slow\"]");
        assertThat(test.sql("SELECT state FROM sales")).isEqualTo("retired");
        test.sql("DELETE FROM webhooks WHERE webhook = 'slow'");
        assertArchived(archive.archive(MONTH, ANN));
    }

    @Test
    @DisplayName("A2: a month stays until Kafka has read its events, if it is fed")
    void unreadByKafka() {
        retire();
        String last = lastEvent();
        Archive fed = new Archive(test.ledger, lease,
                TestJournal.config(Map.of("rush.orders.sink", "both")));
        assertThat(text(refused(fed, MONTH))).contains("\"subjects\":[\"kafka\"]");
        test.sql("INSERT INTO sinks (sink, epoch, xact, place) VALUES ('kafka', " + last + ")");
        assertArchived(fed.archive(MONTH, ANN));
    }

    @Test
    @DisplayName("A2: the ledger keeps the position of an archived month's last event")
    void lastEventIsKept() {
        retire();
        String last = lastEvent();
        archive.archive(MONTH, ANN);
        assertThat(test.sql("SELECT concat_ws(', ', epoch, xact, place) FROM archive.last_events"))
                .isEqualTo(last);
    }

    @ParameterizedTest
    @ValueSource(strings = {"202601", "2026-1", "2026-13", "2026-00", "1926-01", "2026-01-01", ""})
    @DisplayName("A malformed month is refused")
    void malformed(String month) {
        assertThat(refused(month).word()).isEqualTo(Word.INVALID_REQUEST);
    }

    @Test
    @DisplayName("The current month cannot be archived")
    void currentMonth() {
        retire();
        String now = YearMonth.now(ZoneOffset.UTC).toString();
        assertThat(refused(now).word()).isEqualTo(Word.INVALID_REQUEST);
    }

    @Test
    @DisplayName("Only one month at a time can be archived")
    void oneAtATime() {
        retire();
        new LeaderLease(test.ledger, () -> false, Set::of).take("archive", 60_000);
        assertThat(refused(MONTH).word()).isEqualTo(Word.UNAVAILABLE);
        assertThat(attached()).isEqualTo("6");
    }

    @Test
    @DisplayName("A copied month is dropped only if all of its rows were copied; a user is erased")
    void droppedAndErased() {
        retire();
        long rows = archive.archive(MONTH, ANN).rows();
        // One order, one return; the step is the operator's.
        assertThat(test.sql("SELECT archive.erase('u', 'erased-1')")).isEqualTo("2");
        assertThat(test.sql("SELECT concat_ws(' ', user_id, key, claim, digest) FROM"
                + " archive.orders_202601 WHERE id = '" + order + "'")).isEqualTo("erased-1 =");
        assertThat(test.sql("SELECT concat_ws(' ', user_id, key, actor) FROM"
                + " archive.returns_202601")).isEqualTo("erased-1 buyer:erased-1");
        assertThat(test.sql("SELECT archive.drop_month(202601, " + (rows - 1) + ")"))
                .isEqualTo("P0001");
        assertThat(rows("archive.orders_202601")).isEqualTo("2");
        assertThat(test.sql("SELECT archive.drop_month(202601, " + rows + ")")).isEmpty();
        assertThat(test.sql("SELECT to_regclass('archive.orders_202601')")).isNull();
        assertThat(rows("archive.tables")).isEqualTo("0");
    }
}
