package dev.rush.reconciliation.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archiving a month of a real journal. */
class ArchiveTest extends OnSoldMonth {
    @Test
    @DisplayName("A2: a month whose sales are retired leaves the ledger, once")
    void archived() {
        retire();
        Archive.Month first = archive.archive(MONTH, ANN);
        assertArchived(first);
        assertThat(archive.archive(MONTH, ANN)).isEqualTo(first);
        assertThat(test.sql("SELECT string_agg(concat_ws(' ', actor, action, subject, after), ','"
                + " ORDER BY place) FROM audit")).isEqualTo("operator:ann month.archive-begun"
                + " 2026-01,operator:ann month.archived 2026-01 {\"rows\": " + first.rows()
                + "}");
        assertThat(test.sql("SELECT ensure_month(202602)")).isEqualTo("t");
        assertThat(refused("2026-03").code()).isEqualTo(OutcomeCode.INVALID_REQUEST);
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
            detaches.execute("SET statement_timeout = '3s'");
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
        assertThat(problem.code()).isEqualTo(OutcomeCode.NOT_RETIRED);
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
            assertThat(refused(MONTH).code()).as(open).isEqualTo(OutcomeCode.NOT_RETIRED);
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

    @ParameterizedTest
    @ValueSource(strings = {"202601", "2026-1", "2026-13", "2026-00", "1926-01", "2026-01-01", ""})
    @DisplayName("A malformed month is refused")
    void malformed(String month) {
        assertThat(refused(month).code()).isEqualTo(OutcomeCode.INVALID_REQUEST);
    }

    @Test
    @DisplayName("The current month cannot be archived")
    void currentMonth() {
        retire();
        String now = YearMonth.now(ZoneOffset.UTC).toString();
        assertThat(refused(now).code()).isEqualTo(OutcomeCode.INVALID_REQUEST);
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
        assertThat(test.sql("SELECT concat_ws(' ', user_id, key, actor, cause) FROM"
                + " archive.returns_202601")).isEqualTo("erased-1 buyer:erased-1");
        assertThat(test.sql("SELECT archive.drop_month(202601, " + (rows - 1) + ")"))
                .isEqualTo("P0001");
        assertThat(rows("archive.orders_202601")).isEqualTo("2");
        assertThat(test.sql("SELECT archive.drop_month(202601, " + rows + ")")).isEmpty();
        assertThat(test.sql("SELECT to_regclass('archive.orders_202601')")).isNull();
        assertThat(rows("archive.tables")).isEqualTo("0");
    }
}
