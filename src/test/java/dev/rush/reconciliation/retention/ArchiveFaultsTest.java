package dev.rush.reconciliation.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.OutcomeCode;
import dev.rush.http.ProblemException;
import dev.rush.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Archiving a month while stores fail, pods die and others read its tables. */
class ArchiveFaultsTest extends OnSoldMonth {
    private static final Duration SOON = Duration.ofSeconds(30);

    @Test
    @DisplayName("A2: a month stays while the ledger may lack commits that Redis knows of")
    void behind() {
        retire();
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        assertThat(text(refused(MONTH))).contains("\"subjects\":[\"partition 0\"]");
        test.sql("UPDATE partitions SET behind_since = NULL");
        test.sql("UPDATE ledger SET server = 0");
        assertThatThrownBy(() -> archive.archive(MONTH, ANN)).isInstanceOfSatisfying(
                ProblemException.class,
                e -> assertThat(e.problem().code()).isEqualTo(OutcomeCode.UNAVAILABLE));
        assertThat(test.sql("SELECT state FROM sales")).isEqualTo("retired");
        test.check();
        assertArchived(archive.archive(MONTH, ANN));
    }

    @Test
    @DisplayName("A2: a month stays until transactions have ended that began before it was retired")
    void justRetired() {
        retire();
        test.sql("UPDATE sales SET retired_at = now() - interval '10 seconds'");
        assertThat(text(refused(MONTH))).contains("\"subjects\":[\"" + sale + "\"]");
        test.sql("UPDATE sales SET retired_at = now() - interval '61 seconds'");
        assertArchived(archive.archive(MONTH, ANN));
    }

    @Test
    @DisplayName("A2: repeating the call resumes once all tables are detached and none is moved")
    void cutOffBeforeMoving() {
        retire();
        test.sql("UPDATE sales SET state = 'archived'");
        for (String table : new String[] {"blocks", "grabs", "orders", "rejected",
            "rejected_grabs", "steps"}) {
            test.sql("ALTER TABLE " + table + " DETACH PARTITION " + table + "_202601");
        }
        assertArchived(archive.archive(MONTH, ANN));
    }

    @Test
    @DisplayName("A2: nothing is detached if PostgreSQL has lost the mark of the month")
    void unmarked() {
        retire();
        test.sql("CREATE FUNCTION unmark() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN RETURN NULL; END $$");
        test.sql("CREATE TRIGGER unmark BEFORE UPDATE ON sales FOR EACH ROW"
                + " EXECUTE FUNCTION unmark()");
        assertThat(refused(MONTH).code()).isEqualTo(OutcomeCode.OUTCOME_UNKNOWN);
        assertThat(attached()).isEqualTo("6");
    }

    @Test
    @DisplayName("A2: a month stays while another one is half detached, which is named")
    void otherIsHalfDetached() throws SQLException {
        retire();
        test.sql("SELECT ensure_month(202512)");
        try (Connection reader = test.connect(); Connection other = test.connect();
                Statement detaches = other.createStatement()) {
            run(reader, "LOCK TABLE blocks IN ACCESS SHARE MODE");
            other.setAutoCommit(true);
            detaches.execute("SET statement_timeout = '3s'");
            assertThatThrownBy(() -> detaches.execute(
                    "ALTER TABLE blocks DETACH PARTITION blocks_202512 CONCURRENTLY"))
                    .isInstanceOf(SQLException.class);
        }
        assertThat(text(refused(MONTH))).contains("\"subjects\":[\"month 2025-12\"]");
        test.sql("ALTER TABLE blocks DETACH PARTITION blocks_202512 FINALIZE");
        assertArchived(archive.archive(MONTH, ANN));
    }

    @Test
    @DisplayName("A2: while a dump reads a table of the month, readers of the journal go on")
    void dumpOfTheMonth() throws SQLException {
        retire();
        CompletableFuture<Archive.Month> archived;
        try (Connection dump = test.connect()) {
            run(dump, "LOCK TABLE orders_202601 IN ACCESS SHARE MODE");
            archived = CompletableFuture.supplyAsync(() -> archive.archive(MONTH, ANN));
            Await.until("the month is marked", SOON,
                    () -> test.sql("SELECT state FROM sales").equals("archived"));
            assertNewCommitsAreRead();
            dump.commit();
        }
        assertArchived(archived.join());
    }

    @Test
    @DisplayName("A2: while a dump reads a detached table, readers of the journal go on")
    void dumpOfADetachedTable() throws SQLException {
        retire();
        test.sql("ALTER TABLE orders DETACH PARTITION orders_202601");
        CompletableFuture<Archive.Month> archived;
        try (Connection dump = test.connect()) {
            run(dump, "LOCK TABLE orders_202601 IN ACCESS SHARE MODE");
            archived = CompletableFuture.supplyAsync(() -> archive.archive(MONTH, ANN));
            Await.until("the others are detached", SOON, () -> attached().equals("0"));
            assertNewCommitsAreRead();
            dump.commit();
        }
        assertArchived(archived.join());
    }

    @Test
    @DisplayName("A2: readers of the journal go on if a dump begins while a table is detached")
    void dumpOfATableThatIsDetached() throws SQLException {
        retire();
        CompletableFuture<Archive.Month> archived;
        try (Connection reader = test.connect(); Connection dump = test.connect()) {
            run(reader, "LOCK TABLE ONLY blocks IN ACCESS SHARE MODE");
            archived = CompletableFuture.supplyAsync(() -> archive.archive(MONTH, ANN));
            Await.until("the first is half detached", SOON, () -> test.sql("SELECT count(*) FROM"
                    + " pg_inherits WHERE inhrelid = 'blocks_202601'::regclass"
                    + " AND inhdetachpending").equals("1"));
            run(dump, "LOCK TABLE blocks_202601 IN ACCESS SHARE MODE");
            reader.commit();
            assertNewCommitsAreRead();
            dump.commit();
        }
        assertArchived(archived.join());
    }

    /** A change that is committed now falls below the bound of all readers. */
    private void assertNewCommitsAreRead() {
        String xact = test.sql("INSERT INTO audit (id, epoch, actor, action, subject) VALUES"
                + " (gen_random_uuid(), 1, 'a', 'b', 'c') RETURNING xact::text");
        Await.until("a commit is read", Duration.ofSeconds(10), () -> test.sql("SELECT '" + xact
                + "'::xid8 < pg_snapshot_xmin(pg_current_snapshot())").equals("t"));
    }
}
