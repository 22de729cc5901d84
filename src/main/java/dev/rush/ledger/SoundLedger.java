package dev.rush.ledger;

import dev.rush.redis.Shards;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The PostgreSQL process with which work of several transactions began. Another one may lack
 * commits that the work has read, or the work may have read it while it lacked some.
 */
public final class SoundLedger {

    private final Ledger ledger;
    private final Shards shards;
    private final long server;

    private SoundLedger(Ledger ledger, Shards shards, long server) {
        this.ledger = ledger;
        this.shards = shards;
        this.server = server;
    }

    /**
     * Begins such work.
     *
     * @throws LedgerFailure as an outage, if a commit of these shards' orders may be missing
     */
    public static SoundLedger begin(Ledger ledger, Shards shards) {
        SoundLedger begun = new SoundLedger(ledger, shards,
                ledger.transact((connection, ledgerState) -> ledgerState.server()));
        begun.require();
        return begun;
    }

    /**
     * Fails if anything read since the beginning may be wrong.
     *
     * @throws LedgerFailure as an outage
     */
    public void require() {
        ledger.transactOrNull((connection, ledgerState) -> {
            require(connection, ledgerState);
            return null;
        });
    }

    /** As {@link #require()}, in a transaction of the work. */
    public void require(Connection connection, LedgerState ledgerState) throws SQLException {
        boolean isSound = ledgerState.server() == server;
        for (int i = 0; isSound && i < shards.count(); i++) {
            isSound = Ledger.isSound(connection, ledgerState, shards.get(i).index());
        }
        if (!isSound) {
            throw new LedgerFailure("PostgreSQL failed over, or may be behind Redis");
        }
    }
}
