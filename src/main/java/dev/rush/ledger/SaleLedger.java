package dev.rush.ledger;

import com.fasterxml.jackson.databind.util.RawValue;
import dev.rush.ledger.SaleRows.Entry;
import dev.rush.ledger.SaleRows.Kept;
import dev.rush.ledger.SaleRows.Terms;
import dev.rush.ledger.SaleRows.TotalChange;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Sales as the ledger knows them. Preparing goes ledger, Redis (held back), ledger (loaded, with
 * the name of this one loading), Redis (released): wherever it is cut off, the same call again
 * finishes it, and stock is released at most once ever. Raising a total goes ledger, Redis;
 * lowering Redis, ledger; a version tells which of two changes is the later one. So the total in
 * Redis is never above the ledger's. All fail with a problem while the ledger is away.
 */
@Singleton
public class SaleLedger {

    private final Ledger ledger;
    private final KnownOffers known;

    @Inject
    SaleLedger(Ledger ledger, KnownOffers known) {
        this.ledger = ledger;
        this.known = known;
    }

    /** Enters a sale unless it is there, and says what is there. */
    public CompletableFuture<Entry> prepare(Terms terms, Actor actor) {
        return ledger.call((connection, standing) -> {
            Entry entry = SaleRows.prepare(connection, terms);
            if (entry.fresh()) {
                AuditRows.insert(connection, standing, UUID.randomUUID(), actor, "sale.prepared",
                        terms.sale(), null, new RawValue(terms.definition()), null);
            }
            return entry;
        });
    }

    /**
     * Notes that the stock held back in Redis under this name of a loading may be released, unless
     * another loading was released before.
     *
     * @return the one that may be released
     */
    public CompletableFuture<String> loaded(String sale, String release, Actor actor) {
        return ledger.call((connection, standing) -> {
            String released = SaleRows.load(connection, sale, release);
            AuditRows.insertOnce(connection, standing, actor, "sale.loaded", sale, released);
            return released;
        }).thenCompose(released -> known.findSale(sale).handle((offer, failure) -> released));
    }

    /** Begins to change a total; null if the ledger has no such item of a loaded sale. */
    public CompletableFuture<TotalChange> beginTotal(String sale, String sku, long total) {
        return ledger.call((connection, standing) ->
                SaleRows.beginTotal(connection, sale, sku, total));
    }

    /** Finishes lowering a total; false if the ledger has more sold than that. */
    public CompletableFuture<Boolean> endTotal(String sale, String sku, long total,
            long version) {
        return ledger.call((connection, standing) ->
                SaleRows.endTotal(connection, sale, sku, total, version));
    }

    /** What the ledger keeps of a sale that Redis keeps no longer; null if it has no such sale. */
    public CompletableFuture<Kept> kept(String sale) {
        return ledger.read((connection, standing) -> SaleRows.kept(connection, sale));
    }
}
