package dev.rush.ledger;

import com.fasterxml.jackson.databind.util.RawValue;
import dev.rush.ledger.RainRows.Kept;
import dev.rush.ledger.RainRows.Terms;
import dev.rush.ledger.SaleRows.Entry;
import dev.rush.redis.Change;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Rains in the ledger. As with sales, the ledger first stores what is prepared, and then which
 * loading is released, before the last envelope opens the rain for grabs. All calls fail with a
 * problem while the ledger is down.
 */
@Singleton
public class RainLedger {

    private final Ledger ledger;
    private final OfferCache offers;

    @Inject
    RainLedger(Ledger ledger, OfferCache offers) {
        this.ledger = ledger;
        this.offers = offers;
    }

    /** Whether this service has a ledger for rains at all. */
    public boolean isConfigured() {
        return ledger.isConfigured();
    }

    /** A change of a rain that a script decides. */
    public Change change(String rain, Actor actor) {
        return ledger.change("rain", rain, actor);
    }

    /** Stores a rain unless it exists; returns the stored one. */
    public CompletableFuture<Entry> prepare(Terms terms, Actor actor) {
        return ledger.call((connection, ledgerState) -> {
            Entry entry = RainRows.prepare(connection, terms);
            if (entry.fresh()) {
                AuditRows.insert(connection, ledgerState, UUID.randomUUID(), actor, "rain.prepared",
                        terms.rain(), null, new RawValue(terms.definition()),
                        actor.cause());
            }
            return entry;
        });
    }

    /** As {@link SaleLedger#loaded}: which loading may be released. */
    public CompletableFuture<String> loaded(String rain, String release, Actor actor) {
        return ledger.call((connection, ledgerState) -> {
            String released = RainRows.load(connection, rain, release);
            AuditRows.insertOnce(connection, ledgerState, actor, "rain.loaded", rain, released);
            return released;
        }).thenCompose(released -> offers.findRain(rain).handle((offer, failure) -> released));
    }

    /** The ledger's data of a rain that has left Redis; null if there is no such rain. */
    public CompletableFuture<Kept> kept(String rain) {
        return ledger.lookUp((connection, ledgerState) ->
                RainRows.kept(connection, List.of(rain)).get(rain));
    }

    /** As {@link #kept(String)}, of those of these rains that there are, in one transaction. */
    public CompletableFuture<Map<String, Kept>> kept(Collection<String> rains) {
        return ledger.read((connection, ledgerState) -> RainRows.kept(connection, rains));
    }

    /** A user's grabs from a rain of a month, including rejected ones. */
    public CompletableFuture<List<GrabRows.Stored>> grabs(int month, String rain, String user) {
        return ledger.read((connection, ledgerState) ->
                GrabRows.ofUser(connection, month, rain, user));
    }

    /** As {@link GrabRows#byKey}. */
    public CompletableFuture<GrabRows.Stored> grab(
            int month, String rain, String user, String key) {
        return ledger.read((connection, ledgerState) ->
                GrabRows.byKey(connection, month, rain, user, key));
    }
}
