package dev.rush.reconciliation.retention;

import dev.rush.RushConfig;
import dev.rush.event.ArchivedEvents;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Violations;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.KeptLease;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.LedgerProblems;
import dev.rush.ledger.Months;
import dev.rush.ledger.sql.MonthTables;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * Takes a month out of the ledger once all of its sales and rains are retired, and all readers have
 * its events (see {@link ArchivedEvents#readersBehind}). Its tables are then in the schema {@code
 * archive}, which the service does not read. The ledger keeps sales and their totals, but not their
 * orders. If it is interrupted anywhere, repeating the call resumes.
 */
@Singleton
class Archive {

    private static final long LEASE_MS = 60_000;
    private static final int MONTHS = 12;

    private final Ledger ledger;
    private final LeaderLease lease;
    private final boolean feedsKafka;
    /** Excludes a second call on this pod; the lease excludes only other pods. */
    private final AtomicBoolean isArchiving = new AtomicBoolean();

    @Inject
    Archive(Ledger ledger, LeaderLease lease, RushConfig config) {
        this.ledger = ledger;
        this.lease = lease;
        this.feedsKafka = config.orders().sink() == RushConfig.Sink.BOTH;
    }

    /** A table in the archive. */
    @RegisterForReflection
    @Schema(name = "ArchivedTable", requiredProperties = {"table", "rows"})
    record Table(
            @Schema(examples = "archive.orders_202610")
            String table,
            @Schema(minimum = "0")
            long rows) {
    }

    /** A month in the archive. */
    @RegisterForReflection
    @Schema(name = "ArchivedMonth", requiredProperties = {"month", "rows", "tables"})
    record Month(
            @Schema(examples = "2026-10")
            String month,
            @Schema(description = "Rows of all tables together", minimum = "0")
            long rows,
            List<Table> tables) {

        private static Month of(String month, Map<String, Long> tables) {
            return new Month(month, tables.values().stream().mapToLong(Long::longValue).sum(),
                    tables.entrySet().stream().map(table -> new Table(
                            "archive." + table.getKey(), table.getValue())).toList());
        }
    }

    /**
     * The yyyymm of a month.
     *
     * @throws ProblemException {@code invalid-request} if it is not a month
     */
    static int month(String text) {
        int month = text.matches("20\\d\\d-\\d\\d")
                ? Integer.parseInt(text.replace("-", "")) : 0;
        if (month % 100 < 1 || month % 100 > MONTHS) {
            throw new ProblemException(
                    Violations.problem("month", "must be a month such as 2026-10"));
        }
        return month;
    }

    /**
     * Archives a month, or resumes an interrupted attempt. Blocks the calling thread while
     * PostgreSQL detaches tables and counts their rows, and while others read them: up to ten
     * minutes for each.
     *
     * @throws ProblemException {@code not-retired} while a sale or rain of the month is open or a
     *                          reader is behind; {@code invalid-request} if the month is not over,
     *                          or not in the ledger; {@code unavailable} while another is archived;
     *                          {@code outcome-unknown} if PostgreSQL fails after it has begun
     */
    Month archive(String text, Actor actor) {
        int month = month(text);
        if (!isArchiving.compareAndSet(false, true)) {
            throw alreadyArchiving();
        }
        try (KeptLease held = KeptLease.take(lease, "archive", LEASE_MS)) {
            if (held == null) {
                throw alreadyArchiving();
            }
            LedgerProblems.changing(() -> ledger.transactOrNull((connection, ledgerState) -> {
                if (!ledgerState.checked()) {
                    throw LedgerFailure.unchecked();
                }
                begin(connection, month);
                AuditRows.insertOnce(connection, ledgerState, actor, "month.archive-begun", text,
                        null);
                return null;
            }));
            return LedgerProblems.begun(() -> {
                ledger.outsideTransaction(connection -> {
                    if (!ArchiveRows.isMarked(connection, month)) {
                        // PostgreSQL has failed over since.
                        throw LedgerFailure.unchecked();
                    }
                    MonthTables.archive(connection, month);
                });
                return ledger.transact((connection, ledgerState) -> {
                    Month archived = Month.of(text, MonthTables.archived(connection, month));
                    AuditRows.insertOnce(connection, ledgerState, actor, "month.archived", text,
                            Map.of("rows", archived.rows));
                    return archived;
                });
            });
        } finally {
            isArchiving.set(false);
        }
    }

    private static ProblemException alreadyArchiving() {
        return new ProblemException(
                Problem.of(OutcomeCode.UNAVAILABLE, "A month is being archived already."));
    }

    /**
     * Marks the month before checking it: the mark waits for returns in progress, which lock their
     * sale, and later returns see it. If something blocks the month, the exception rolls the mark
     * back.
     */
    private void begin(Connection connection, int month) throws SQLException {
        if (!ArchiveRows.isOver(connection, month) || !MonthTables.exist(connection, month)) {
            throw new ProblemException(
                    Violations.problem("month", "must be over, and in the ledger"));
        }
        ArchiveRows.mark(connection, month);
        List<String> blockers = ArchiveRows.blockers(connection, month);
        MonthTables.pending(connection).stream().filter(pending -> pending != month)
                .forEach(pending -> blockers.add("month " + Months.text(pending)));
        blockers.addAll(ArchivedEvents.readersBehind(connection, month, feedsKafka));
        if (!blockers.isEmpty()) {
            throw new ProblemException(Problem.of(OutcomeCode.NOT_RETIRED,
                    "The month cannot be archived because of: " + String.join(", ", blockers) + ".",
                    Map.of("subjects", blockers)));
        }
        ArchivedEvents.recordLast(connection, month);
    }
}
