package dev.rush.ledger;

import com.fasterxml.jackson.databind.util.RawValue;
import dev.rush.ledger.SaleRows.Entry;
import dev.rush.ledger.SaleRows.Kept;
import dev.rush.ledger.SaleRows.Terms;
import dev.rush.ledger.SaleRows.TotalChange;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Sales in the ledger. Preparing takes these steps: ledger, Redis (held back), ledger (loaded, with
 * the name of this loading), Redis (released). If it is interrupted anywhere, repeating the call
 * completes it, and stock is released at most once. A total is raised first in the ledger, then in
 * Redis, and lowered in the reverse order; a version orders the changes. So the total in Redis is
 * never above the ledger's. All calls fail with a problem while the ledger is down.
 */
@Singleton
public class SaleLedger {

    private final Ledger ledger;
    private final OfferCache offers;

    @Inject
    SaleLedger(Ledger ledger, OfferCache offers) {
        this.ledger = ledger;
        this.offers = offers;
    }

    /** Stores a sale unless it exists; returns the stored one. */
    public CompletableFuture<Entry> prepare(Terms terms, Actor actor) {
        return ledger.call((connection, ledgerState) -> {
            Entry entry = SaleRows.prepare(connection, terms);
            if (entry.fresh()) {
                AuditRows.insert(connection, ledgerState, UUID.randomUUID(), actor, "sale.prepared",
                        terms.sale(), null, new RawValue(terms.definition()),
                        actor.cause());
            }
            return entry;
        });
    }

    /**
     * Records that the stock held back in Redis under the name of this loading may be released,
     * unless another loading was released before.
     *
     * @return the loading that may be released
     */
    public CompletableFuture<String> loaded(String sale, String release, Actor actor) {
        return ledger.call((connection, ledgerState) -> {
            String released = SaleRows.load(connection, sale, release);
            AuditRows.insertOnce(connection, ledgerState, actor, "sale.loaded", sale, released);
            return released;
        }).thenCompose(released -> offers.findSale(sale).handle((offer, failure) -> released));
    }

    /**
     * Begins to change a total; null if the ledger has no such item of a loaded sale. The audit
     * names the actor even if Redis never decides the change.
     */
    public CompletableFuture<TotalChange> beginTotal(
            String sale, String sku, long total, Actor actor) {
        return ledger.call((connection, ledgerState) -> {
            TotalChange begun = SaleRows.beginTotal(connection, sale, sku, total);
            if (begun != null) {
                AuditRows.insert(connection, ledgerState, UUID.randomUUID(), actor,
                        "item.total-begun", sale + "/" + sku, null, total, actor.cause());
            }
            return begun;
        });
    }

    /** Finishes lowering a total; false if more units than that are sold. */
    public CompletableFuture<Boolean> endTotal(String sale, String sku, long total,
            long version) {
        return ledger.call((connection, ledgerState) ->
                SaleRows.endTotal(connection, sale, sku, total, version));
    }

    /** The ledger's data of a sale that has left Redis; null if there is no such sale. */
    public CompletableFuture<Kept> kept(String sale) {
        return ledger.lookUp((connection, ledgerState) ->
                SaleRows.kept(connection, List.of(sale)).get(sale));
    }

    /** As {@link #kept(String)}, of those of these sales that there are, in one transaction. */
    public CompletableFuture<Map<String, Kept>> kept(Collection<String> sales) {
        return ledger.read((connection, ledgerState) -> SaleRows.kept(connection, sales));
    }
}
