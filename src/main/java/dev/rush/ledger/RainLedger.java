package dev.rush.ledger;

import com.fasterxml.jackson.databind.util.RawValue;
import dev.rush.ledger.RainRows.Kept;
import dev.rush.ledger.RainRows.Terms;
import dev.rush.ledger.SaleRows.Entry;
import dev.rush.redis.Change;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Rains as the ledger knows them. As with sales, the ledger is told first what is prepared, and
 * then which one filling is released, before the last envelope makes it a rain that can be grabbed.
 * All fail with a problem while the ledger is away.
 */
@Singleton
public class RainLedger {

    private final Ledger ledger;
    private final KnownOffers known;

    @Inject
    RainLedger(Ledger ledger, KnownOffers known) {
        this.ledger = ledger;
        this.known = known;
    }

    /** Whether rains have to be entered here at all. */
    public boolean isWanted() {
        return ledger.isWanted();
    }

    /** A change of a rain that a script decides. */
    public Change change(String rain, Actor actor) {
        return ledger.change("rain", rain, actor);
    }

    /** Enters a rain unless it is there, and says what is there. */
    public CompletableFuture<Entry> prepare(Terms terms, Actor actor) {
        return ledger.call((connection, standing) -> {
            Entry entry = RainRows.prepare(connection, terms);
            if (entry.fresh()) {
                AuditRows.insert(connection, standing, UUID.randomUUID(), actor, "rain.prepared",
                        terms.rain(), null, new RawValue(terms.definition()), null);
            }
            return entry;
        });
    }

    /** As {@link SaleLedger#loaded}: which filling may be released. */
    public CompletableFuture<String> loaded(String rain, String release, Actor actor) {
        return ledger.call((connection, standing) -> {
            String released = RainRows.load(connection, rain, release);
            AuditRows.insertOnce(connection, standing, actor, "rain.loaded", rain, released);
            return released;
        }).thenCompose(released -> known.findRain(rain).handle((offer, failure) -> released));
    }

    /** What the ledger keeps of a rain that Redis keeps no longer; null if it has no such rain. */
    public CompletableFuture<Kept> kept(String rain) {
        return ledger.read((connection, standing) -> RainRows.kept(connection, rain));
    }

    /** A user's grabs from a rain of a month, by id: whether each was rejected. */
    public CompletableFuture<Map<UUID, Boolean>> grabs(int month, String rain, String user) {
        return ledger.read((connection, standing) ->
                GrabRows.ofUser(connection, month, rain, user));
    }
}
