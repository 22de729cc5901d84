package dev.rush.sale;

import dev.rush.http.Caller;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.Payment;
import dev.rush.ledger.writer.Writer;
import dev.rush.order.BuyerRecord;
import dev.rush.order.BuyerRecords;
import dev.rush.order.Confirmations;
import dev.rush.order.OrderHistory;
import dev.rush.order.Statuses;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Orders from the moment they were accepted. The record of the order's user in Redis is read first.
 * While the order may be queued in the stream, the record answers; once the stream's head has
 * passed it, only the ledger does, so that a confirmed order never turns back into an accepted one.
 */
@Singleton
class Orders {

    private static final Pattern UUID_TEXT = Pattern.compile(
            "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    private final BuyerRecords records;
    private final SaleViewCache views;
    private final Ledger ledger;
    private final Statuses statuses;
    private final Confirmations confirmations;
    private final Writer writer;

    @Inject
    Orders(BuyerRecords records, SaleViewCache views, Ledger ledger, Statuses statuses,
            Confirmations confirmations, Writer writer) {
        this.records = records;
        this.views = views;
        this.ledger = ledger;
        this.statuses = statuses;
        this.confirmations = confirmations;
        this.writer = writer;
    }

    /**
     * The order, or null. Fails with {@code not-loaded} if Redis has lost the sale and the ledger
     * does not have the order, and for anyone's with {@code unavailable} while the ledger may lack
     * orders that Redis has.
     *
     * @param user whose order it must be, or null for anyone's
     */
    CompletableFuture<OrderView> find(String sale, String order, @Nullable String user) {
        if (!UUID_TEXT.matcher(order).matches()) {
            return CompletableFuture.completedFuture(null);
        }
        UUID id = UUID.fromString(order);
        return (user != null ? CompletableFuture.completedFuture(user) : owner(sale, id))
                .thenCompose(owner -> owner == null
                        ? CompletableFuture.completedFuture(null)
                        : record(sale, owner).thenCompose(record -> view(sale, owner, record,
                                record.order(id.toString()), () -> statuses.find(sale, id))));
    }

    /**
     * An order with its history, as this caller may see it. While only Redis has an order, its
     * history has only the purchase.
     */
    CompletableFuture<OrderView> withHistory(OrderView found, Caller caller) {
        OrderView bought = found.withHistory(List.of(OrderHistory.accepted(found.user(),
                Instant.parse(found.placedAt()).toEpochMilli())));
        return found.isAccepted() ? CompletableFuture.completedFuture(bought)
                : statuses.history(found.sale(), UUID.fromString(found.order()))
                        .thenApply(stored -> stored == null ? bought : OrderView.of(stored.order())
                                .withHistory(OrderHistory.shownTo(caller, found.user(),
                                        stored.history())));
    }

    /**
     * The owner of an order that neither store had when it was asked; null if there is none. Fails
     * with {@code not-loaded} if a shard that may have had it is lost, and with {@code unavailable}
     * while the ledger lacks orders that Redis may have, because Redis finds an order only by its
     * user. The ledger is asked again, because a writer may just have moved the order there.
     */
    private CompletableFuture<String> ownerAskedAgain(String sale, UUID order) {
        return views.shards(sale).thenCompose(shards ->
                shards.each(shard -> records.of(sale, shard, ""))).thenCompose(found -> {
                    found.forEach(record -> requireLoaded(sale, record, false));
                    return ledger.isConfigured() ? statuses.ownerIfComplete(sale, order)
                            : CompletableFuture.completedFuture(null);
                });
    }

    /** A user's order under a key, or null; fails with {@code not-loaded} as above. */
    CompletableFuture<OrderView> byKey(String sale, String user, String key) {
        return record(sale, user).thenCompose(record -> view(sale, user, record,
                record.key(key), () -> statuses.byKey(sale, user, key)));
    }

    private CompletableFuture<BuyerRecord> record(String sale, String user) {
        return views.shards(sale).thenCompose(shards ->
                records.of(sale, shards.of(user), user));
    }

    /**
     * The order from the line or the ledger, or null. An order that the ledger lacks although the
     * stream's head has passed it is a dead letter, or its entry was lost: it stays accepted; if it
     * has ended by then, the ledger has lost it. If neither store has it and Redis has lost the
     * sale, its existence is unknown.
     */
    private CompletableFuture<OrderView> view(String sale, String user, BuyerRecord record,
            BuyerRecord.@Nullable Line line, Supplier<CompletableFuture<Order>> row) {
        OrderView known = line == null ? null : OrderView.of(sale, user, line);
        if (!ledger.isConfigured() || line != null && record.isWaiting(line)) {
            requireLoaded(sale, record, known != null);
            return CompletableFuture.completedFuture(known);
        }
        return row.get().thenApply(found -> {
            requireLoaded(sale, record, known != null || found != null);
            return found == null ? known
                    : user.equals(found.user()) ? OrderView.of(found) : null;
        });
    }

    private void requireLoaded(String sale, BuyerRecord record, boolean isFound) {
        if (!isFound && !record.isLoaded() && views.isLost(sale)) {
            throw new ProblemException(Problem.of(OutcomeCode.NOT_LOADED));
        }
    }

    /**
     * The owner of an order, or null. If the ledger is down or does not have it yet, the stream is
     * searched.
     */
    private CompletableFuture<String> owner(String sale, UUID order) {
        CompletableFuture<String> known = ledger.isConfigured() ? statuses.owner(sale, order)
                : CompletableFuture.completedFuture(null);
        return known.handle((owner, failure) -> owner != null
                ? CompletableFuture.completedFuture(owner)
                : views.shards(sale).thenCompose(shards -> records.owner(sale, shards, order))
                        .thenCompose(found -> found == null && failure != null
                                ? CompletableFuture.<String>failedFuture(failure)
                                : found == null ? ownerAskedAgain(sale, order)
                                : CompletableFuture.completedFuture(found)))
                .thenCompose(owner -> owner);
    }

    /**
     * The orders of a user, newest first, up to a maximum. Fails with {@code not-loaded} as above
     * if the list would be empty.
     */
    CompletableFuture<List<OrderView>> of(String sale, String user, int max) {
        return record(sale, user).thenCompose(record -> (!ledger.isConfigured()
                ? CompletableFuture.completedFuture(List.<Order>of())
                : statuses.of(sale, user, max)).thenApply(rows -> {
                    List<OrderView> orders = merge(sale, user, record, rows, max);
                    requireLoaded(sale, record, !orders.isEmpty());
                    return orders;
                }));
    }

    /** Order ids are time-ordered. A queued order is accepted, whatever the ledger has. */
    private static List<OrderView> merge(
            String sale, String user, BuyerRecord record, List<Order> rows, int max) {
        Map<String, OrderView> byId = new TreeMap<>(Comparator.reverseOrder());
        rows.forEach(row -> byId.put(row.id().toString(), OrderView.of(row)));
        String oldest = rows.size() < max ? "" : rows.get(rows.size() - 1).id().toString();
        record.lines().stream().filter(line -> record.isWaiting(line)
                || !byId.containsKey(line.order()) && line.order().compareTo(oldest) > 0)
                .forEach(line -> byId.put(line.order(), OrderView.of(sale, user, line)));
        return new ArrayList<>(byId.values()).subList(0, Math.min(max, byId.size()));
    }

    /** The result of a confirmation: the order as it is now, or why it is not confirmed. */
    record Confirmation(@Nullable OrderView order, @Nullable Problem problem) {

        private static Confirmation of(OutcomeCode code) {
            return new Confirmation(null, Problem.of(code));
        }
    }

    /**
     * Confirms a reserved order. The ledger is asked first, then Redis is read, and then the ledger
     * is asked once more, because the writer may have moved the order in between.
     *
     * @param user whose order it must be, or null for anyone's
     */
    CompletableFuture<Confirmation> confirm(
            String sale, String order, @Nullable String user, Actor actor, Payment payment) {
        if (!UUID_TEXT.matcher(order).matches()) {
            return CompletableFuture.completedFuture(Confirmation.of(OutcomeCode.UNKNOWN_ORDER));
        }
        if (!ledger.isConfigured()) {
            return CompletableFuture.completedFuture(
                    new Confirmation(null, LedgerProblems.notConfigured("Confirming needs")));
        }
        UUID id = UUID.fromString(order);
        return confirmations.confirm(sale, id, user, actor, payment).thenCompose(outcome ->
                outcome != null ? CompletableFuture.completedFuture(confirmation(order, outcome))
                : notInLedger(sale, order, user).thenCompose(waiting ->
                        confirmations.confirm(sale, id, user, actor, payment).thenApply(stored ->
                                stored == null ? waiting : confirmation(order, stored))));
    }

    private static Confirmation confirmation(String order, Confirmations.Outcome outcome) {
        return outcome.either(confirmed -> new Confirmation(OrderView.of(confirmed), null),
                code -> code == OutcomeCode.REJECTED
                        ? new Confirmation(null, Statuses.rejected(order))
                        : Confirmation.of(code));
    }

    /** An order that only Redis has is on its way into the ledger. */
    private CompletableFuture<Confirmation> notInLedger(
            String sale, String order, @Nullable String user) {
        return find(sale, order, user).thenApply(accepted -> {
            if (accepted == null) {
                return Confirmation.of(OutcomeCode.UNKNOWN_ORDER);
            }
            if (accepted.hasEnded()) {
                return confirmation(order,
                        Confirmations.Outcome.ended(OrderStatus.of(accepted.status())));
            }
            views.shards(sale).thenAccept(shards -> writer.wake(shards.of(accepted.user())));
            return new Confirmation(null, Problem.retryable(OutcomeCode.UNAVAILABLE,
                    "The order is accepted, but not in the ledger yet.", Map.of(), 1));
        });
    }
}
