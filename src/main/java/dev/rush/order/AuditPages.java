package dev.rush.order;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.rush.ledger.Journal;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.Position;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Every change that an operator, a payer or the service itself made, page by page. */
@Singleton
class AuditPages {

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
    record Change(String at, String actor, String action, String subject,
            @JsonRawValue String before, @JsonRawValue String after, String cause) {

        private static Change of(Journal.Change change) {
            return new Change(change.at().toString(), change.actor().text(), change.action(),
                    change.subject(), change.before(), change.after(), change.cause());
        }
    }

    /**
     * A page, which may be short; only where {@code next} is missing there is nothing more now.
     *
     * @param next where to go on, or null
     */
    @RegisterForReflection
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Page(List<Change> changes, String next) {

        private static Page of(Journal.Page page) {
            return new Page(page.changes().stream().map(Change::of).toList(),
                    page.next() == null ? null : page.next().text());
        }
    }

    /** At most {@code limit} changes after a position. */
    CompletableFuture<Page> after(Position position, int limit) {
        return ledger.read((connection, standing) ->
                Page.of(Journal.audit(connection, position, limit)));
    }
}
