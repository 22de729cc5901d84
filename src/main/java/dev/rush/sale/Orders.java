package dev.rush.sale;

import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.order.Ledger;
import dev.rush.order.OrderRow;
import dev.rush.order.Statuses;
import dev.rush.order.Writer;
import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/**
 * Orders from the moment they were accepted: Redis has those that the ledger may not have yet, and
 * the ledger all others. Redis is asked first, because an order leaves it only once the ledger has
 * it.
 */
@Singleton
class Orders {

    private static final Pattern UUID_TEXT = Pattern.compile(
            "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    private final RedisCommands redis;
    private final SaleViews views;
    private final Ledger ledger;
    private final Statuses statuses;
    private final Writer writer;

    @Inject
    Orders(RedisCommands redis, SaleViews views, Ledger ledger, Statuses statuses,
            Writer writer) {
        this.redis = redis;
        this.views = views;
        this.ledger = ledger;
        this.statuses = statuses;
        this.writer = writer;
    }

    /**
     * The order, or null.
     *
     * @param user whose order it must be, or null for anyone's
     */
    CompletableFuture<OrderView> find(String sale, String order, String user) {
        if (!UUID_TEXT.matcher(order).matches()) {
            return CompletableFuture.completedFuture(null);
        }
        return findAccepted(sale, order, user).thenCompose(accepted -> {
            if (accepted != null || !ledger.isWanted()) {
                return CompletableFuture.completedFuture(accepted);
            }
            return statuses.find(sale, UUID.fromString(order)).thenApply(row -> row == null
                    || user != null && !user.equals(row.user()) ? null : OrderView.of(row));
        });
    }

    /** An order's id does not tell its user: where nobody else does, all shards are asked. */
    private CompletableFuture<OrderView> findAccepted(String sale, String order, String user) {
        return views.shards(sale).thenCompose(shards -> user == null
                ? shards.each(shard -> ask(sale, order, shard))
                : ask(sale, order, shards.of(user)).thenApply(List::of))
                .thenApply(replies -> replies.stream().map(Reply::text)
                        .filter(text -> !"unknown-order".equals(text)).findFirst()
                        .map(text -> OrderView.ofEntry(sale, text))
                        .filter(found -> user == null || user.equals(found.user())).orElse(null));
    }

    private CompletableFuture<Reply> ask(String sale, String order, Partition shard) {
        return redis.script(SaleScripts.ORDER, shard, List.of(SaleScripts.key(shard, sale, "keys"),
                SaleScripts.key(shard, sale, "orders")), List.of(order));
    }

    /** The orders of a user, newest first, at most so many. */
    CompletableFuture<List<OrderView>> of(String sale, String user, int most) {
        return accepted(sale, user, most).thenCompose(accepted -> {
            if (!ledger.isWanted()) {
                return CompletableFuture.completedFuture(accepted);
            }
            return statuses.of(sale, user, most).thenApply(rows -> merge(accepted, rows, most));
        });
    }

    private CompletableFuture<List<OrderView>> accepted(String sale, String user, int most) {
        return views.shards(sale).thenCompose(shards -> {
            Partition home = shards.of(user);
            return redis.script(SaleScripts.ORDERS, home,
                    List.of(SaleScripts.key(home, sale, "keys"),
                            SaleScripts.key(home, sale, "orders"),
                            SaleScripts.key(home, sale, "placed")),
                    List.of(user, Integer.toString(most)));
        }).thenApply(reply -> reply.texts().stream()
                        .map(entry -> OrderView.ofEntry(sale, entry)).toList());
    }

    /** Order ids are time-ordered; what the ledger has counts. */
    private static List<OrderView> merge(List<OrderView> accepted, List<OrderRow> rows, int most) {
        Map<String, OrderView> byId = new TreeMap<>(Comparator.reverseOrder());
        accepted.forEach(order -> byId.put(order.order(), order));
        rows.forEach(row -> byId.put(row.order().toString(), OrderView.of(row)));
        return new ArrayList<>(byId.values()).subList(0, Math.min(most, byId.size()));
    }

    /** How confirming ended: the order as it is now, or why it is not confirmed. */
    record Confirmation(OrderView order, Problem problem) {

        private static Confirmation of(Word word) {
            return new Confirmation(null, Problem.of(word));
        }
    }

    /**
     * Confirms a reserved order.
     *
     * @param user whose order it must be, or null for anyone's
     */
    CompletableFuture<Confirmation> confirm(String sale, String order, String user) {
        if (!UUID_TEXT.matcher(order).matches()) {
            return CompletableFuture.completedFuture(Confirmation.of(Word.UNKNOWN_ORDER));
        }
        if (!ledger.isWanted()) {
            return notInLedger(sale, order, user);
        }
        return statuses.confirm(sale, UUID.fromString(order), user).thenCompose(row -> row == null
                ? notInLedger(sale, order, user)
                : CompletableFuture.completedFuture(confirmation(row, user)));
    }

    private static Confirmation confirmation(OrderRow row, String user) {
        if (user != null && !user.equals(row.user())) {
            return Confirmation.of(Word.UNKNOWN_ORDER);
        }
        return switch (row.status()) {
            case "confirmed" -> new Confirmation(OrderView.of(row), null);
            case "expired" -> Confirmation.of(Word.ORDER_EXPIRED);
            case "returned" -> Confirmation.of(Word.ORDER_RETURNED);
            case "rejected" -> Confirmation.of(Word.REJECTED);
            default -> throw new IllegalStateException("status " + row.status());
        };
    }

    /** An order that only Redis has is on its way into the ledger. */
    private CompletableFuture<Confirmation> notInLedger(String sale, String order, String user) {
        return findAccepted(sale, order, user).thenApply(accepted -> {
            if (accepted == null) {
                return Confirmation.of(Word.UNKNOWN_ORDER);
            }
            views.shards(sale).thenAccept(shards -> writer.wake(shards.of(accepted.user())));
            return new Confirmation(null, Problem.retryable(Word.UNAVAILABLE,
                    "The order is accepted, but not in the ledger yet.", Map.of(), 1));
        });
    }
}
