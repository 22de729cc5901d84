package dev.rush.ledger;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Audits work of several transactions, which has no single one for its audit row. */
public final class AuditLog {

    private AuditLog() {
    }

    /**
     * Records that such work begins or is done, in a transaction of its own.
     *
     * @param before as in {@link AuditRows#insert}
     * @param after  as in {@link AuditRows#insert}
     * @throws LedgerFailure if that was certainly not committed, or the outcome is unknown
     */
    public static void add(Ledger ledger, Actor actor, String action, String subject,
            @Nullable Object before, @Nullable Object after) {
        ledger.transactOrNull((connection, ledgerState) -> {
            AuditRows.insert(connection, ledgerState, UUID.randomUUID(), actor, action, subject,
                    before, after, actor.cause());
            return null;
        });
    }
}
