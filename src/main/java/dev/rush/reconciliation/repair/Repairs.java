package dev.rush.reconciliation.repair;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditLog;
import dev.rush.ledger.KeptLease;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import dev.rush.ledger.Offer;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.SoundLedger;
import dev.rush.order.StockReturned;
import dev.rush.reconciliation.repair.Restorer.Restored;
import dev.rush.reconciliation.report.Books;
import dev.rush.reconciliation.report.Books.Reckoning;
import dev.rush.reconciliation.report.SaleBooks;
import dev.rush.reconciliation.report.SaleBooks.Item;
import dev.rush.reconciliation.report.Verdict;
import dev.rush.redis.Shards;
import dev.rush.sale.shard.Borrowing;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Repairs a sale, only on request. A sale that Redis lost is rebuilt; then what the ledger has and
 * Redis lost is deducted again, order by order; orders that Redis has and the stream lost enter it
 * again; the remaining drift is corrected in the counters. Repairing balanced books does nothing.
 */
@Singleton
class Repairs {

    private static final Logger LOG = Logger.getLogger(Repairs.class);
    private static final long LEASE_MS = 120_000;
    private static final long SETTLE_MS = 250;
    private static final int READS_MAX = 20;

    private final Books books;
    private final Rebuild rebuild;
    private final Restorer restorer;
    private final Requeue requeue;
    private final Ledger ledger;
    private final Corrections corrections;
    private final OfferCache offers;
    private final Borrowing borrowing;
    private final LeaderLease lease;
    private final Event<StockReturned> events;
    /** Sales that this pod is repairing, because a lease belongs to the whole pod. */
    private final Set<String> underRepair = ConcurrentHashMap.newKeySet();

    @Inject
    Repairs(Books books, Rebuild rebuild, Restorer restorer, Requeue requeue, Ledger ledger,
            Corrections corrections, OfferCache offers, Borrowing borrowing, LeaderLease lease,
            Event<StockReturned> events) {
        this.books = books;
        this.rebuild = rebuild;
        this.restorer = restorer;
        this.requeue = requeue;
        this.ledger = ledger;
        this.corrections = corrections;
        this.offers = offers;
        this.borrowing = borrowing;
        this.lease = lease;
        this.events = events;
    }

    /** What a repair did, and the books after it. */
    @RegisterForReflection
    @Schema(name = "Repair", requiredProperties = {"sale", "before", "actions", "books"})
    record Report(String sale, Verdict before, List<RepairAction> actions, SaleBooks books) {
    }

    /**
     * Repairs a sale, waiting for both stores; null if the ledger does not have the sale.
     *
     * @param actor the caller
     * @throws dev.rush.ledger.LedgerFailure if the ledger may be behind Redis
     * @throws ProblemException {@code unavailable} while another repair is running; {@code
     *                          outcome-unknown} if the repair had begun, and the stream did not
     *                          drain, the figures kept changing or a store went down
     */
    public @Nullable Report repair(String sale, Actor actor) {
        SaleBooks before = books.of(sale);
        Offer offer = offers.readSale(sale);
        if (before == null || offer == null) {
            return null;
        }
        if (before.verdict() == Verdict.BALANCED) {
            return new Report(sale, before.verdict(), List.of(), before);
        }
        SoundLedger sound = SoundLedger.begin(ledger, offers.shards(offer, sale));
        if (!underRepair.add(sale)) {
            throw alreadyUnderRepair();
        }
        try (KeptLease held = KeptLease.take(lease, "repair " + sale, LEASE_MS)) {
            if (held == null) {
                throw alreadyUnderRepair();
            }
            Held own = new Held(held, sound);
            return LedgerProblems.begun(() -> repair(offer, before.verdict(), own, actor));
        } finally {
            underRepair.remove(sale);
        }
    }

    private static RuntimeException alreadyUnderRepair() {
        return new ProblemException(
                Problem.of(OutcomeCode.UNAVAILABLE, "Another repair of this sale is under way."));
    }

    /** Counters are corrected by differences, so two repairs at once would correct them twice. */
    private record Held(KeptLease lease, SoundLedger sound) {
        void renew() {
            if (!lease.renew()) {
                throw alreadyUnderRepair();
            }
            sound.require();
        }
    }

    private @Nullable Report repair(Offer offer, Verdict before, Held held, Actor actor) {
        List<RepairAction> actions = new ArrayList<>();
        String sale = offer.id();
        AuditLog.add(ledger, actor, "sale.repair-begun", sale, before.text(), null);
        Shards shards = offers.shards(offer, sale);
        int month = offer.month();
        if (before == Verdict.NOT_LOADED) {
            actions.add(new RepairAction("rebuilt", null, rebuild.rebuild(sale, month, shards)));
        }
        if (shards.isSplit()) {
            borrowing.complete(sale, shards);
        }
        held.renew();
        repairOrders(sale, month, shards, actions);
        correctCounters(sale, month, shards, held, actions);
        if (!actions.isEmpty()) {
            events.fire(new StockReturned(sale));
            AuditLog.add(ledger, actor, "sale.repaired", sale, before.text(), actions.toString());
            LOG.warnf("Repaired sale %s, which was %s: %s", sale, before.text(), actions);
        }
        SaleBooks after = books.of(sale);
        return after == null ? null : new Report(sale, before, actions, after);
    }

    private void repairOrders(String sale, int month, Shards shards, List<RepairAction> actions) {
        Restored restored = restorer.restore(sale, month, shards);
        if (restored.orders() > 0) {
            actions.add(new RepairAction("orders-restored", null, restored.orders()));
        }
        if (restored.credited() > 0) {
            actions.add(new RepairAction("credits-repeated", null, restored.credited()));
        }
        long requeued = requeue.requeue(sale, month, shards);
        if (requeued > 0) {
            actions.add(new RepairAction("orders-requeued", null, requeued));
        }
    }

    /**
     * Corrects drifts that no order explains, once two consecutive reads agree. A total is lowered
     * first as far as units are free, and then by what is given back, so that nobody can buy units
     * beyond the ledger's total. Settling comes before, because it frees units of other items too.
     * Only free units are deducted, including those of other shards.
     */
    private void correctCounters(String sale, int month, Shards shards, Held held,
            List<RepairAction> actions) {
        Reckoning found = awaitStable(sale);
        held.renew();
        List<Map<String, Long>> drifts = found.drifts().stream()
                .<Map<String, Long>>map(HashMap::new).toList();
        Map<String, Long> totals = new LinkedHashMap<>();
        for (Item item : found.books().items()) {
            if (item.total() != item.ledgerTotal()) {
                totals.put(item.sku(), corrections.total(sale, shards, item));
            }
        }
        settle(sale, month, shards, found, drifts, actions);
        each(found, shards, (shard, item) -> {
            long drift = drift(drifts, shard, item);
            long total = totals.getOrDefault(item.sku(), item.ledgerTotal());
            long excess = Math.max(0, total - item.ledgerTotal());
            long units = drift <= 0 ? 0 : corrections.giveBack(
                    sale, shards.get(shard), item.sku(), drift, excess);
            totals.replace(item.sku(), total - Math.min(units, excess));
            if (units > 0) {
                actions.add(new RepairAction("units-returned", item.sku(), units));
            }
        });
        totals.forEach((sku, total) ->
                actions.add(new RepairAction("total-corrected", sku, total)));
        each(found, shards, (shard, item) -> {
            long missing = -drift(drifts, shard, item);
            long units = missing <= 0 ? 0
                    : corrections.deduct(sale, shards, shard, item.sku(), missing);
            if (units > 0) {
                actions.add(new RepairAction("units-deducted", item.sku(), units));
            }
        });
    }

    private static long drift(List<Map<String, Long>> drifts, int shard, Item item) {
        return drifts.get(shard).getOrDefault(item.sku(), 0L);
    }

    private static void each(
            Reckoning found, Shards shards, BiConsumer<Integer, Item> correction) {
        for (Item item : found.books().items()) {
            for (int shard = 0; shard < shards.count(); shard++) {
                correction.accept(shard, item);
            }
        }
    }

    /** Settles rejected orders, which frees the units of all their items. */
    private void settle(String sale, int month, Shards shards, Reckoning found,
            List<Map<String, Long>> drifts, List<RepairAction> actions) {
        Map<String, Long> freed = new HashMap<>();
        each(found, shards, (shard, item) -> {
            long missing = -drift(drifts, shard, item);
            if (missing > 0) {
                settled(item.sku(), drifts.get(shard), freed, actions, Settlement.standIn(
                        ledger, sale, month, shards.get(shard), item.sku(), missing));
            }
        });
        each(found, shards, (shard, item) -> {
            long excess = item.accounted() - item.ledgerTotal()
                    - freed.getOrDefault(item.sku(), 0L);
            if (excess > 0) {
                settled(item.sku(), drifts.get(shard), freed, actions, Settlement.free(
                        ledger, sale, month, shards.get(shard), item.sku(), excess));
            }
        });
    }

    private static void settled(String sku, Map<String, Long> drifts, Map<String, Long> freed,
            List<RepairAction> actions, Map<String, Long> settled) {
        settled.forEach((each, units) -> {
            drifts.merge(each, units, Long::sum);
            freed.merge(each, units, Long::sum);
        });
        if (settled.containsKey(sku)) {
            actions.add(new RepairAction("rejected-settled", sku, settled.get(sku)));
        }
    }

    private Reckoning awaitStable(String sale) {
        Reckoning last = loaded(sale);
        for (int reads = 0; reads < READS_MAX; reads++) {
            pause();
            Reckoning next = loaded(sale);
            if (next.drifts().equals(last.drifts()) && totals(next).equals(totals(last))) {
                return next;
            }
            last = next;
        }
        throw new ProblemException(
                Problem.of(OutcomeCode.UNAVAILABLE, "The books keep changing; try again."));
    }

    /** The books of a sale that is neither lost nor over; nothing is corrected in others. */
    private Reckoning loaded(String sale) {
        Reckoning found = books.reckon(sale);
        if (found == null || found.books().retired()
                || found.books().verdict() == Verdict.NOT_LOADED) {
            throw new ProblemException(
                    Problem.of(OutcomeCode.UNAVAILABLE,
                            "Redis lost the sale meanwhile; try again."));
        }
        return found;
    }

    private static List<List<Long>> totals(Reckoning found) {
        return found.books().items().stream()
                .map(item -> List.of(item.total(), item.ledgerTotal())).toList();
    }

    private static void pause() {
        try {
            Thread.sleep(SETTLE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
