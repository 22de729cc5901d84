package dev.rush.ledger.writer;

import dev.rush.ledger.Deferral;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.Reservations;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import dev.rush.ledger.writer.Verdicts.Item;
import dev.rush.ledger.writer.Verdicts.Verdict;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;

/**
 * Stores accepted purchases, in the caller's transaction. Orders with new numbers are assumed to be
 * from new buyers, and nothing is read that unique indexes check anyway; for all others earlier
 * orders are read first. What a guard refuses is kept as refused.
 */
@Singleton
class OrderStore {

    private final SaleTerms saleTerms;
    private final Buyers buyers;

    /** An order is not new or not valid, or not all orders fit: they are judged one by one. */
    static final class FastPathFailed extends RuntimeException {

        private static final long serialVersionUID = 1L;

        FastPathFailed() {
            super("some orders are not new, are not valid, or do not fit", null, false, false);
        }
    }

    @Inject
    OrderStore(SaleTerms saleTerms, Buyers buyers) {
        this.saleTerms = saleTerms;
        this.buyers = buyers;
    }

    /**
     * Stores purchases, except those that fail.
     *
     * @param fast assumes that they are new and valid; if not, it fails with {@link
     *             FastPathFailed} or a conflict. Without effect if the ledger lacks one of the
     *             sales.
     */
    void store(Connection connection, Fence fence, List<Purchase> purchases, boolean fast,
            Booking booking, Batch batch) throws SQLException {
        Set<String> sales = new HashSet<>();
        purchases.forEach(purchase -> sales.add(purchase.sale()));
        Map<String, Terms> terms = saleTerms.of(connection, fence.ledgerState(), sales);
        if (fast && terms.size() == sales.size()) {
            storeFast(connection, fence, purchases, terms, booking);
            return;
        }
        List<Purchase> known = new ArrayList<>(purchases.size());
        for (Purchase purchase : purchases) {
            Terms sale = terms.get(purchase.sale());
            String failure = sale == null ? "the ledger has no sale " + purchase.sale()
                    : sale.forgery(purchase, fence.now());
            if (failure == null) {
                known.add(purchase);
            } else if (sale == null && Deferral.isAnyBehind(connection)) {
                batch.postpone(purchase, failure);
            } else {
                batch.fail(purchase, failure);
            }
        }
        storeCarefully(connection, fence, known, terms, booking, batch);
    }

    /** Sends each order as soon as it passes, so that PostgreSQL need not wait for the last. */
    private void storeFast(Connection connection, Fence fence, List<Purchase> purchases,
            Map<String, Terms> terms, Booking booking) throws SQLException {
        Holdings holdings = new Holdings();
        List<Purchase> asked = purchases.stream()
                .filter(purchase -> Terms.of(terms, purchase).isLimited()
                        ? buyers.maybe(purchase.sale(), purchase.user())
                        : purchase.mayRepeatAnId()).toList();
        if (!asked.isEmpty()) {
            holdings.read(connection, asked, terms);
        }
        Verdicts verdicts = new Verdicts(terms, holdings, null);
        copy(connection, fence, purchases, purchase -> {
            if (Terms.of(terms, purchase).forgery(purchase, fence.now()) != null) {
                throw new FastPathFailed();
            }
            Verdict verdict = verdicts.of(purchase);
            if (verdict.refusal() != null) {
                throw new FastPathFailed();
            }
            return verdict.claim();
        }, terms, booking);
        buyers.stored();
    }

    private void storeCarefully(Connection connection, Fence fence, List<Purchase> purchases,
            Map<String, Terms> terms, Booking booking, Batch batch) throws SQLException {
        Collection<Purchase> fresh = fresh(connection, purchases, terms, batch);
        if (fresh.isEmpty()) {
            return;
        }
        Holdings holdings = new Holdings();
        holdings.read(connection, fresh, terms);
        Set<Item> items = new TreeSet<>();
        fresh.forEach(purchase -> purchase.quantities().keySet().forEach(sku ->
                items.add(new Item(purchase.sale(), sku))));
        Map<Item, Long> left = Booking.lockLeft(connection, items);
        Verdicts verdicts = new Verdicts(terms, holdings, left);
        Map<Purchase, String> claims = new LinkedHashMap<>();
        Map<Purchase, String> refused = new LinkedHashMap<>();
        for (Purchase purchase : fresh) {
            if (!purchase.quantities().keySet().stream().allMatch(sku ->
                    left.containsKey(new Item(purchase.sale(), sku)))) {
                saleTerms.forget(fence.ledgerState(), purchase.sale());
                batch.fail(purchase, "the ledger has no sale " + purchase.sale());
                continue;
            }
            Verdict verdict = verdicts.of(purchase);
            if (verdict.refusal() == null) {
                claims.put(purchase, verdict.claim());
            } else if (fence.behind()) {
                batch.postpone(purchase, verdict.refusal());
            } else {
                refused.put(purchase, verdict.refusal());
            }
        }
        if (!claims.isEmpty()) {
            copy(connection, fence, claims.keySet(), claims::get, terms, booking);
        }
        Refusals.insert(connection, fence, booking, refused, terms);
        refused.forEach((purchase, reason) -> {
            booking.refused(purchase, Terms.of(terms, purchase));
            batch.refuse(refused(purchase, reason, false));
        });
    }

    private static Batch.Refused refused(Purchase purchase, String reason, boolean isKnown) {
        return new Batch.Refused(false, purchase.sale(), purchase.user(), purchase.order(),
                reason, isKnown);
    }

    /** Drops duplicates and stored orders; those that were refused before are reported again. */
    private static Collection<Purchase> fresh(Connection connection, List<Purchase> purchases,
            Map<String, Terms> terms, Batch batch) throws SQLException {
        Map<UUID, Purchase> fresh = new LinkedHashMap<>();
        Map<Integer, List<UUID>> months = new HashMap<>();
        for (Purchase purchase : purchases) {
            if (fresh.putIfAbsent(purchase.order(), purchase) == null) {
                months.computeIfAbsent(Terms.of(terms, purchase).month(),
                        month -> new ArrayList<>()).add(purchase.order());
            }
        }
        for (Map.Entry<Integer, List<UUID>> month : months.entrySet()) {
            Set<UUID> stored =
                    OrderRows.stored(connection, month.getKey(), month.getValue());
            Refusals.known(connection, month.getKey(), stored, (order, reason) ->
                    batch.refuse(refused(Objects.requireNonNull(fresh.get(order)), reason, true)));
            fresh.keySet().removeAll(stored);
        }
        return fresh.values();
    }

    private void copy(Connection connection, Fence fence, Collection<Purchase> purchases,
            Function<Purchase, String> claim, Map<String, Terms> terms, Booking booking)
            throws SQLException {
        List<Purchase> reserved = new ArrayList<>();
        try (OrderCopy copy = OrderCopy.orders(connection)) {
            for (Purchase purchase : purchases) {
                copy.order(purchase, Terms.of(terms, purchase), fence.partition(),
                        booking.block(purchase.seq()), claim.apply(purchase));
            }
            copy.flush();
            for (Purchase purchase : purchases) {
                Terms sale = Terms.of(terms, purchase);
                booking.stored(purchase, sale);
                buyers.add(purchase.sale(), purchase.user());
                if (sale.window() > 0) {
                    reserved.add(purchase);
                }
            }
            copy.end();
        }
        if (!reserved.isEmpty()) {
            try (OrderCopy copy = OrderCopy.reservations(connection)) {
                for (Purchase purchase : reserved) {
                    copy.reservation(purchase, Terms.of(terms, purchase), fence.partition());
                }
                copy.flush();
                copy.end();
            }
        }
        if (fence.behind()) {
            hold(connection, fence, reserved, terms);
        }
    }

    /** Orders restored from Redis, which have no number, may have been paid. */
    private static void hold(Connection connection, Fence fence, List<Purchase> reserved,
            Map<String, Terms> terms) throws SQLException {
        Map<UUID, Long> back = new HashMap<>();
        reserved.stream().filter(purchase -> purchase.seq() == 0).forEach(purchase ->
                back.put(purchase.order(), Terms.of(terms, purchase).payBy(purchase)));
        if (!back.isEmpty()) {
            Reservations.hold(connection, fence.partition(), back);
        }
    }

    /** One restored from Redis that did not fit at once may have been paid as well. */
    void holdLate(Connection connection, LedgerState ledgerState, int partition, Purchase purchase)
            throws SQLException {
        Terms sale = saleTerms.of(connection, ledgerState, Set.of(purchase.sale()))
                .get(purchase.sale());
        if (sale != null && sale.window() > 0 && purchase.seq() == 0) {
            Reservations.hold(connection, partition,
                    Map.of(purchase.order(), sale.payBy(purchase)));
        }
    }

    /** A unique index refused a row: probably an order was not its buyer's first. */
    void conflicted() {
        buyers.missed();
    }
}
