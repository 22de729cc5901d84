package dev.rush.books;

import dev.rush.books.Books.Reckoning;
import dev.rush.books.Restorer.Restored;
import dev.rush.books.SaleBooks.Item;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Word;
import dev.rush.order.Ledger;
import dev.rush.order.LedgerProblems;
import dev.rush.order.SaleShards;
import dev.rush.order.StockReturned;
import dev.rush.redis.Partition;
import dev.rush.redis.Shards;
import dev.rush.sale.shard.Borrowing;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.logging.Logger;

/**
 * Repair of a sale, only ever when told to. A sale that Redis lost is rebuilt; then what the ledger
 * knows and Redis lost is deducted again, order by order; orders that Redis knows and the stream
 * lost enter it again; what drift is left after that is corrected as a number. Repairing balanced
 * books does nothing.
 */
@Singleton
class Repairs {

    private static final Logger LOG = Logger.getLogger(Repairs.class);
    private static final long DUTY_MS = 120_000;
    private static final long SETTLE_MS = 250;
    private static final int LOOKS_MAX = 20;

    private final Books books;
    private final Rebuild rebuild;
    private final Restorer restorer;
    private final Requeue requeue;
    private final Ledger ledger;
    private final Corrections corrections;
    private final SaleShards saleShards;
    private final Borrowing borrowing;
    private final Duties duties;
    private final Event<StockReturned> events;

    @Inject
    Repairs(Books books, Rebuild rebuild, Restorer restorer, Requeue requeue, Ledger ledger,
            Corrections corrections, SaleShards saleShards, Borrowing borrowing, Duties duties,
            Event<StockReturned> events) {
        this.books = books;
        this.rebuild = rebuild;
        this.restorer = restorer;
        this.requeue = requeue;
        this.ledger = ledger;
        this.corrections = corrections;
        this.saleShards = saleShards;
        this.borrowing = borrowing;
        this.duties = duties;
        this.events = events;
    }

    /** A step that changed something. */
    @RegisterForReflection
    @Schema(name = "RepairAction", requiredProperties = {"action", "count"})
    record Action(
            @Schema(enumeration = {"rebuilt", "orders-restored", "credits-repeated",
                "orders-requeued", "units-returned", "units-deducted", "rejected-settled",
                "total-corrected"})
            String action,
            @Schema(description = "The item, where it concerns one", nullable = true)
            String sku,
            @Schema(description = "Orders or units, or the total")
            long count) {
    }

    /** What a repair did, and the books after it. */
    @RegisterForReflection
    @Schema(name = "Repair", requiredProperties = {"sale", "before", "actions", "books"})
    record Report(String sale, Verdict before, List<Action> actions, SaleBooks books) {
    }

    /**
     * Repairs a sale; null if the ledger has no such sale. Waits for both stores.
     *
     * @throws dev.rush.http.ProblemException {@code unavailable} while another repair is at it, or
     *         when the stream does not drain; {@code outcome-unknown} if a store went away after
     *         the repair had begun
     */
    Report repair(String sale) {
        SaleBooks before = books.of(sale);
        if (before == null || before.verdict() == Verdict.BALANCED) {
            return before == null ? null
                    : new Report(sale, before.verdict(), List.of(), before);
        }
        String duty = "repair " + sale;
        if (!duties.take(duty, DUTY_MS)) {
            throw new ProblemException(
                    Problem.of(Word.UNAVAILABLE, "Another repair of this sale is under way."));
        }
        try {
            return LedgerProblems.begun(() -> repair(sale, before.verdict()));
        } finally {
            duties.drop(duty);
        }
    }

    private Report repair(String sale, Verdict before) {
        List<Action> actions = new ArrayList<>();
        Shards shards = saleShards.read(sale);
        if (before == Verdict.NOT_LOADED) {
            actions.add(new Action("rebuilt", null, rebuild.rebuild(sale, shards)));
        }
        if (shards.isSplit()) {
            borrowing.complete(sale, shards);
        }
        byOrder(sale, shards, actions);
        byNumber(sale, shards, actions);
        if (!actions.isEmpty()) {
            events.fire(new StockReturned(sale));
            LOG.warnf("Repaired sale %s, which was %s: %s", sale, before.text(), actions);
        }
        return new Report(sale, before, actions, books.of(sale));
    }

    private void byOrder(String sale, Shards shards, List<Action> actions) {
        Restored restored = restorer.restore(sale);
        if (restored.orders() > 0) {
            actions.add(new Action("orders-restored", null, restored.orders()));
        }
        if (restored.credited() > 0) {
            actions.add(new Action("credits-repeated", null, restored.credited()));
        }
        long requeued = requeue.requeue(sale, shards);
        if (requeued > 0) {
            actions.add(new Action("orders-requeued", null, requeued));
        }
    }

    /**
     * Corrects what no order explains, once two readings in a row agree. Settling comes first, as
     * it frees units of other items too. A total is lowered, and units are deducted, only as far as
     * units are free.
     */
    private void byNumber(String sale, Shards shards, List<Action> actions) {
        Reckoning found = steady(sale);
        List<Map<String, Long>> drifts = found.drifts().stream()
                .<Map<String, Long>>map(HashMap::new).toList();
        settle(sale, shards, found, drifts, actions);
        each(found, shards, (shard, item) -> {
            long drift = drifts.get(shard).get(item.sku());
            long units = drift <= 0 ? 0
                    : corrections.giveBack(sale, shards.get(shard), item.sku(), drift);
            if (units > 0) {
                actions.add(new Action("units-returned", item.sku(), units));
            }
        });
        for (Item item : found.books().items()) {
            if (item.total() != item.ledgerTotal()) {
                actions.add(new Action(
                        "total-corrected", item.sku(), corrections.total(sale, shards, item)));
            }
        }
        each(found, shards, (shard, item) -> {
            long missing = -drifts.get(shard).get(item.sku());
            long units = missing <= 0 ? 0
                    : corrections.deduct(sale, shards, shard, item.sku(), missing);
            if (units > 0) {
                actions.add(new Action("units-deducted", item.sku(), units));
            }
        });
    }

    private static void each(
            Reckoning found, Shards shards, BiConsumer<Integer, Item> correction) {
        for (Item item : found.books().items()) {
            for (int shard = 0; shard < shards.count(); shard++) {
                correction.accept(shard, item);
            }
        }
    }

    /** What is settled is no longer held, of other items too. */
    private void settle(String sale, Shards shards, Reckoning found,
            List<Map<String, Long>> drifts, List<Action> actions) {
        Map<String, Long> freed = new HashMap<>();
        each(found, shards, (shard, item) -> {
            long missing = -drifts.get(shard).get(item.sku());
            if (missing > 0) {
                settled(item.sku(), drifts.get(shard), freed, actions,
                        connection -> Settlement.standIn(
                                connection, sale, shards.get(shard), item.sku(), missing));
            }
        });
        each(found, shards, (shard, item) -> {
            long excess = item.accounted() - item.ledgerTotal()
                    - freed.getOrDefault(item.sku(), 0L);
            if (excess > 0) {
                settled(item.sku(), drifts.get(shard), freed, actions,
                        connection -> Settlement.free(
                                connection, sale, shards.get(shard), item.sku(), excess));
            }
        });
    }

    private void settled(String sku, Map<String, Long> drifts, Map<String, Long> freed,
            List<Action> actions, Ledger.Work<Map<String, Long>> work) {
        Map<String, Long> settled = ledger.transact(work);
        settled.forEach((each, units) -> {
            drifts.merge(each, units, Long::sum);
            freed.merge(each, units, Long::sum);
        });
        if (settled.containsKey(sku)) {
            actions.add(new Action("rejected-settled", sku, settled.get(sku)));
        }
    }

    private Reckoning steady(String sale) {
        Reckoning last = books.reckon(sale);
        for (int look = 0; look < LOOKS_MAX; look++) {
            pause();
            Reckoning next = books.reckon(sale);
            if (next.drifts().equals(last.drifts()) && totals(next).equals(totals(last))) {
                return next;
            }
            last = next;
        }
        throw new ProblemException(
                Problem.of(Word.UNAVAILABLE, "The books do not stand still; try again."));
    }

    private static List<Long> totals(Reckoning found) {
        return found.books().items().stream().map(Item::total).toList();
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
