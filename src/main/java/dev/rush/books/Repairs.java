package dev.rush.books;

import dev.rush.books.Restorer.Restored;
import dev.rush.books.SaleBooks.Item;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.order.Ledger;
import dev.rush.order.StockReturned;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisCommands;
import dev.rush.redis.Script;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
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
    private final RedisCommands redis;
    private final Partitions partitions;
    private final Duties duties;
    private final Event<StockReturned> events;

    @Inject
    Repairs(Books books, Rebuild rebuild, Restorer restorer, Requeue requeue, Ledger ledger,
            RedisCommands redis, Partitions partitions, Duties duties,
            Event<StockReturned> events) {
        this.books = books;
        this.rebuild = rebuild;
        this.restorer = restorer;
        this.requeue = requeue;
        this.ledger = ledger;
        this.redis = redis;
        this.partitions = partitions;
        this.duties = duties;
        this.events = events;
    }

    /**
     * Something that was done.
     *
     * @param action rebuilt, orders-restored, credits-repeated, orders-requeued, units-returned,
     *               units-deducted, rejected-settled or total-corrected
     * @param sku    the item, where it concerns one
     * @param count  orders or units, or the total
     */
    @RegisterForReflection
    record Action(String action, String sku, long count) {
    }

    /** What a repair did, and the books after it. */
    @RegisterForReflection
    record Report(String sale, Verdict before, List<Action> actions, SaleBooks books) {
    }

    /**
     * Repairs a sale; null if the ledger has no such sale. Waits for both stores.
     *
     * @throws dev.rush.http.ProblemException {@code unavailable} while another repair is at it, or
     *         when the stream does not drain
     */
    Report repair(String sale) {
        SaleBooks before = books.of(sale);
        if (before == null || before.verdict() == Verdict.BALANCED) {
            return before == null ? null
                    : new Report(sale, before.verdict(), List.of(), before);
        }
        String duty = "repair " + sale;
        if (!duties.take(duty, DUTY_MS)) {
            throw Problem.of(Word.UNAVAILABLE, "Another repair of this sale is under way.")
                    .exception();
        }
        try {
            List<Action> actions = new ArrayList<>();
            if (before.verdict() == Verdict.NOT_LOADED) {
                actions.add(new Action("rebuilt", null, rebuild.rebuild(sale)));
            }
            byOrder(sale, actions);
            byNumber(sale, actions);
            if (!actions.isEmpty()) {
                events.fire(new StockReturned(sale));
                LOG.warnf("Repaired sale %s, which was %s: %s", sale, before.verdict().text(),
                        actions);
            }
            return new Report(sale, before.verdict(), actions, books.of(sale));
        } finally {
            duties.drop(duty);
        }
    }

    private void byOrder(String sale, List<Action> actions) {
        Restored restored = restorer.restore(sale, -1);
        if (restored.orders() > 0) {
            actions.add(new Action("orders-restored", null, restored.orders()));
        }
        if (restored.credited() > 0) {
            actions.add(new Action("credits-repeated", null, restored.credited()));
        }
        long requeued = requeue.requeue(sale);
        if (requeued > 0) {
            actions.add(new Action("orders-requeued", null, requeued));
        }
    }

    /** What no order explains. It must not change while it is looked at twice. */
    private void byNumber(String sale, List<Action> actions) {
        SaleBooks first = steady(sale);
        for (Item item : first.items()) {
            if (item.total() != item.ledgerTotal()) {
                actions.add(new Action("total-corrected", item.sku(), correctTotal(sale, item)));
            }
            if (item.drift() > 0) {
                long units = adjust(sale, item.sku(), -item.drift());
                actions.add(new Action("units-returned", item.sku(), -units));
            } else if (item.drift() < 0) {
                long settled = ledger.transact(connection -> Settlement.settle(
                        connection, sale, item.sku(), -item.drift()));
                if (settled > 0) {
                    actions.add(new Action("rejected-settled", item.sku(), settled));
                }
                long missing = -item.drift() - settled;
                long units = missing > 0 ? adjust(sale, item.sku(), missing) : 0;
                if (units > 0) {
                    actions.add(new Action("units-deducted", item.sku(), units));
                }
            }
        }
    }

    private SaleBooks steady(String sale) {
        SaleBooks last = books.of(sale);
        for (int look = 0; look < LOOKS_MAX; look++) {
            pause();
            SaleBooks next = books.of(sale);
            if (drifts(next).equals(drifts(last))) {
                return next;
            }
            last = next;
        }
        throw Problem.of(Word.UNAVAILABLE, "The books do not stand still; try again.").exception();
    }

    private static List<Long> drifts(SaleBooks books) {
        return books.items().stream().map(Item::drift).toList();
    }

    private static void pause() {
        try {
            Thread.sleep(SETTLE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Deducts units, or gives them back when below zero. Returns how many it was possible for. */
    private long adjust(String sale, String sku, long units) {
        return adjusted(sale, BookScripts.ADJUST, sku, Long.toString(units));
    }

    private long correctTotal(String sale, Item item) {
        long version = ledger.transact(connection ->
                Settlement.version(connection, sale, item.sku()));
        return adjusted(sale, BookScripts.TOTAL, item.sku(), Long.toString(item.ledgerTotal()),
                Long.toString(version));
    }

    private long adjusted(String sale, Script script, String... args) {
        Partition partition = partitions.of(sale);
        String[] words = redis.script(script, partition,
                List.of(BookScripts.sale(partition, sale, "conf"),
                        BookScripts.sale(partition, sale, "stock")), List.of(args)).join().text()
                .split(" ");
        return words[0].equals("adjusted") ? Long.parseLong(words[1]) : 0;
    }
}
