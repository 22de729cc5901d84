package dev.rush.order;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.rush.ledger.Journal;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.Position;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Changes made by operators, payers and the service itself, page by page. */
@Singleton
class AuditPages {

    /** Epochs per page. One begins with each start of PostgreSQL, and many have no changes. */
    private static final int EPOCHS_MAX = 50;

    private final Ledger ledger;

    @Inject
    AuditPages(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * A change as auditors see it.
     *
     * @param before JSON, or null
     * @param after  JSON, or null
     */
    @RegisterForReflection
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @Schema(name = "Change", requiredProperties = {"at", "actor", "action", "subject"})
    record Change(
            @Schema(description = "By PostgreSQL's clock", format = "date-time")
            String at,
            @Schema(description = "operator: or payer: and a user, or service: and a component",
                    examples = "operator:olga")
            String actor,
            @Schema(examples = "sale.paused")
            String action,
            @Schema(description = "A sale, sale/sku, sale/order, a rain, rain/grab, a user, "
                    + "a month, webhook/id, dead-letter/id, or ledger",
                    examples = "apple-day")
            String subject,
            @Schema(description = "The value before, as any JSON; absent if there was none")
            @JsonRawValue @Nullable Object before,
            @Schema(description = "The value after, as any JSON; absent if there is none")
            @JsonRawValue @Nullable Object after,
            @Schema(description = "The cause, as stated by the actor")
            @Nullable String cause) {

        private static Change of(Journal.Change change) {
            return new Change(change.at().toString(), change.actor().text(), change.action(),
                    change.subject(), change.before(), change.after(), change.cause());
        }
    }

    /**
     * A page, which may be short; only a missing {@code next} means that there are no more changes
     * for now.
     *
     * @param next cursor of the next page, or null
     */
    @RegisterForReflection
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @Schema(name = "Changes", requiredProperties = "changes")
    record Page(
            @Schema(description = "Oldest first; may be short or empty", maxItems = 1000)
            List<Change> changes,
            @Schema(description = "The cursor to continue with; absent if there are no more "
                    + "changes yet: repeat the call later with the same cursor",
                    examples = "1.lz.4")
            @Nullable String next) {

        private static Page of(List<Journal.Change> changes, @Nullable Position next) {
            return new Page(changes.stream().map(Change::of).toList(),
                    next == null ? null : next.text());
        }
    }

    /** At most {@code limit} changes after a position; null if a restore undid that position. */
    CompletableFuture<Page> after(Position position, int limit) {
        return ledger.read((connection, ledgerState) -> after(connection, ledgerState, position,
                limit));
    }

    private static @Nullable Page after(Connection connection, LedgerState ledgerState,
            Position position, int limit) throws SQLException {
        if (Journal.isBeyond(connection, ledgerState, position)) {
            return null;
        }
        Position from = position;
        Journal.Page page = Journal.audit(connection, from, limit);
        for (int epochs = 1; epochs < EPOCHS_MAX && page.changes().isEmpty()
                && page.next() != null && page.next().epoch() > from.epoch(); epochs++) {
            from = page.next();
            page = Journal.audit(connection, from, limit);
        }
        Position next = page.next() != null || from.equals(position) ? page.next() : from;
        return Page.of(page.changes(), next);
    }
}
