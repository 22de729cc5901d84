package dev.rush.sale;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.f4b6a3.uuid.UuidCreator;
import dev.rush.RushConfig;
import dev.rush.RushConfig.Durability;
import dev.rush.http.Cause;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.Times;
import dev.rush.ledger.Actor;
import dev.rush.ledger.writer.Writer;
import dev.rush.offer.FailedCalls;
import dev.rush.offer.OfferControl;
import dev.rush.offer.Outcome;
import dev.rush.offer.OutcomeCounters;
import dev.rush.offer.OutcomeTally;
import dev.rush.order.Statuses;
import dev.rush.redis.Partition;
import dev.rush.redis.Shards;
import dev.rush.redis.batch.BatchTarget;
import dev.rush.redis.batch.Batcher;
import dev.rush.redis.cluster.MasterMemory;
import dev.rush.sale.shard.Borrowed;
import dev.rush.sale.shard.Borrowing;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Purchases: one request of {@code purchase.lua} each, and the interpretation of its reply. In a
 * sale with shards, the buyer's home shard decides; if it has too few units, it borrows more and
 * the request is repeated.
 */
@Startup
@Singleton
class Purchases {

    private static final String SOLD_OUT = "sold-out ";
    private static final String INSUFFICIENT = "insufficient-stock ";
    private static final int IMMEDIATE_ATTEMPTS = 2;
    private static final int BACKOFF_MAX_MS = 30;
    private static final Actor HALF_DONE = Actor.service("half-done");

    private final Batcher batcher;
    private final Borrowing borrowing;
    private final Sales sales;
    private final SaleViewCache views;
    private final SoldOutCache soldOut;
    private final OutcomeCounters outcomes;
    private final OutcomeTally.Tallies tally;
    private final LedgerOrders ledger;
    private final FailedCalls failures;
    private final Writer writer;
    private final MasterMemory memory;
    /** The batch targets of a sale's shards, created once and not per request. */
    private final Cache<String, BatchTarget[]> targets;

    @Inject
    Purchases(Batcher batcher, Borrowing borrowing, Sales sales, SaleViewCache views,
            SoldOutCache soldOut, LedgerOrders ledger, FailedCalls failures, Writer writer,
            MasterMemory memory, OutcomeTally tally, RushConfig config,
            MeterRegistry registry) {
        this.batcher = batcher;
        this.borrowing = borrowing;
        this.sales = sales;
        this.views = views;
        this.soldOut = soldOut;
        this.outcomes = new OutcomeCounters(registry, "rush.purchases", "Purchases by outcome");
        this.tally = tally.sales();
        this.ledger = ledger;
        this.failures = failures;
        this.writer = writer;
        this.memory = memory;
        this.targets = Caffeine.newBuilder().maximumSize(config.view().entries()).build();
    }

    /**
     * One buyer's request, the same for every attempt.
     *
     * @param key  the client's, or the order's id, which the client gets if the outcome is unknown
     * @param what order, the client's key or nothing, digest and lines, as stored by the script
     */
    private record Wanted(String sale, Shards shards, boolean replicated, String user,
            String order, String key, String what, PurchaseLines lines, long deadline) {

        int home() {
            return shards.home(user);
        }
    }

    /**
     * Takes the units, or returns the refusal. Never fails.
     *
     * @param view the sale, of any age
     * @param key  the client's idempotency key, or null
     */
    CompletableFuture<Outcome<OrderView>> purchase(
            SaleView view, String user, @Nullable String key, PurchaseLines lines) {
        Problem known = key != null || lines.units().size() > 1 || view.guarded() ? null
                : soldOut.refusal(view.sale(), lines.units().keySet().iterator().next());
        if (known != null) {
            return CompletableFuture.completedFuture(
                    count(view.sale(), new Outcome.Refused<>(known)));
        }
        String order = UuidCreator.getTimeOrderedEpochFast().toString();
        String what = order + ' ' + (key == null ? "" : key) + ' ' + lines.digest() + ' '
                + lines.text();
        Wanted wanted = new Wanted(view.sale(), view.shards(),
                view.durability() == Durability.REPLICAS, user, order,
                key == null ? order : key, what, lines, batcher.deadlineNanos());
        return (view.durability() != Durability.LEDGER ? accepted(wanted)
                : ledger.answer(new LedgerOrders.Request(wanted.sale,
                        wanted.shards.get(wanted.home()), user, order, wanted.key, lines,
                        wanted.deadline), () -> accepted(wanted)))
                .thenApply(outcome -> count(wanted.sale, outcome));
    }

    /** Answers once Redis has decided. */
    private CompletableFuture<Outcome<OrderView>> accepted(Wanted wanted) {
        return wanted.shards.isSplit()
                ? submitOrBorrow(wanted, 1).handle((outcome, failure) ->
                        failure == null ? outcome : failed(wanted, failure))
                : submit(wanted).handle((reply, failure) ->
                        failure == null ? outcome(wanted, reply) : failed(wanted, failure));
    }

    private Outcome<OrderView> failed(Wanted wanted, Throwable failure) {
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause() : failure;
        return new Outcome.Refused<>(
                failures.problem(cause, wanted.key, reason -> failed(wanted.sale, reason)));
    }

    private CompletableFuture<String> submit(Wanted wanted) {
        return batcher.submit(targets(wanted)[wanted.home()], wanted.deadline,
                wanted.user, wanted.what, wanted.lines.text());
    }

    /** Sends the request to the home shard; if that has too few units, borrows and repeats it. */
    private CompletableFuture<Outcome<OrderView>> submitOrBorrow(Wanted wanted, int attempt) {
        return submit(wanted).thenCompose(reply -> {
            boolean isEmpty = reply.startsWith(SOLD_OUT);
            boolean isKnown = isEmpty && soldOut.refusal(
                    wanted.sale, reply.substring(SOLD_OUT.length())) != null;
            if (isKnown || !isEmpty && !reply.startsWith(INSUFFICIENT)) {
                return CompletableFuture.completedFuture(outcome(wanted, reply));
            }
            return borrowing.borrow(wanted.sale, wanted.shards, wanted.home(),
                    wanted.lines.units(), wanted.deadline).thenCompose(borrowed ->
                    borrowed instanceof Borrowed.Brought
                            ? backOff(attempt)
                                    .thenCompose(done -> submitOrBorrow(wanted, attempt + 1))
                            : CompletableFuture.completedFuture(
                                    new Outcome.Refused<>(notBorrowed(wanted.sale, borrowed))));
        });
    }

    private Problem notBorrowed(String sale, Borrowed borrowed) {
        if (borrowed instanceof Borrowed.SoldOut empty) {
            return soldOut.mark(sale, empty.sku());
        }
        if (borrowed instanceof Borrowed.Insufficient few) {
            return insufficient(few.sku(), few.left());
        }
        if (borrowed instanceof Borrowed.NotLoaded) {
            views.forget(sale);
            return Problem.of(OutcomeCode.NOT_LOADED);
        }
        return Problem.of(OutcomeCode.UNAVAILABLE);
    }

    /** Competing requests for the same last units back off. */
    private static CompletableFuture<Void> backOff(int attempt) {
        return attempt <= IMMEDIATE_ATTEMPTS ? CompletableFuture.completedFuture(null)
                : CompletableFuture.runAsync(() -> { }, CompletableFuture.delayedExecutor(
                        ThreadLocalRandom.current().nextInt(BACKOFF_MAX_MS),
                        TimeUnit.MILLISECONDS));
    }

    private BatchTarget[] targets(Wanted wanted) {
        BatchTarget[] known = targets.getIfPresent(wanted.sale);
        if (known == null || known.length != wanted.shards.count()
                || known[0].isReplicated() != wanted.replicated) {
            known = wanted.shards.partitions().stream()
                    .map(partition -> target(wanted, partition)).toArray(BatchTarget[]::new);
            targets.put(wanted.sale, known);
        }
        return known;
    }

    private BatchTarget target(Wanted wanted, Partition partition) {
        String sale = wanted.sale;
        return new BatchTarget(SaleScripts.PURCHASE,
                partition.keys().sale(sale, "conf", "stock", "buyers").orders().sequence(),
                () -> List.of(memory.backlogMax(partition), sale), wanted.replicated, true);
    }

    /** The only place that reads a reply of the script. */
    private Outcome<OrderView> outcome(Wanted wanted, String reply) {
        String sale = wanted.sale;
        String[] words = reply.split(" ");
        if (words[0].equals("failed")) {
            return new Outcome.Refused<>(failed(sale, reply));
        }
        OutcomeCode code = OutcomeCode.of(words[0]);
        return switch (code) {
            case ACCEPTED -> {
                writer.wake(wanted.shards.get(wanted.home()));
                yield new Outcome.Accepted<>(OrderView.of(wanted.order, sale, wanted.user,
                        "accepted", wanted.lines.text(), words[3], Long.parseLong(words[1]),
                        Long.parseLong(words[2])), false);
            }
            case REPLAYED -> new Outcome.Accepted<>(OrderView.of(words[1], sale, wanted.user,
                    "accepted", words[4], words[5], Long.parseLong(words[2]),
                    Long.parseLong(words[3])), true);
            default -> new Outcome.Refused<>(refusal(wanted, code, words));
        };
    }

    private Problem refusal(Wanted wanted, OutcomeCode code, String[] words) {
        String sale = wanted.sale;
        return switch (code) {
            case UNKNOWN_SALE, NOT_LOADED -> {
                views.forget(sale);
                yield Problem.of(code == OutcomeCode.UNKNOWN_SALE ? views.absence(sale) : code);
            }
            case UNKNOWN_ITEM -> Problem.of(code, "The sale has no item " + words[1] + ".",
                    Map.of("sku", words[1]));
            case NOT_OPEN -> {
                String opensAt = Times.text(Long.parseLong(words[1]));
                yield Problem.of(code, "The sale opens at " + opensAt + ".",
                        Map.of("opensAt", opensAt));
            }
            case REJECTED -> Statuses.rejected(words[1]);
            case LIMIT_REACHED -> limitReached(words);
            // One shard without stock does not mean that the others are empty.
            case SOLD_OUT -> wanted.shards.isSplit() ? SoldOutCache.problem(words[1])
                    : soldOut.mark(sale, words[1]);
            case INSUFFICIENT_STOCK -> insufficient(words[1], Long.parseLong(words[2]));
            default -> Problem.of(code);
        };
    }

    private static Problem insufficient(String sku, long left) {
        return Problem.of(OutcomeCode.INSUFFICIENT_STOCK, "Only " + left + " left of " + sku + ".",
                Map.of("sku", sku, "left", left));
    }

    private static Problem limitReached(String[] words) {
        String limit = words[words.length - 2];
        Map<String, Object> members = new HashMap<>(Map.of("bound", words[1],
                "limit", Long.parseLong(limit),
                "taken", Long.parseLong(words[words.length - 1])));
        if (words[1].equals("item")) {
            members.put("sku", words[2]);
        }
        return Problem.of(OutcomeCode.LIMIT_REACHED, switch (words[1]) {
            case "item" -> "At most " + limit + " of " + words[2] + " per user.";
            case "holds" -> "This user let " + limit + " reservations expire.";
            default -> "At most " + limit + " orders per user.";
        }, members);
    }

    /**
     * A bug in the script: what it wrote is not rolled back, so the sale is paused before more is
     * written.
     */
    private Problem failed(String sale, String reason) {
        sales.control(sale, OfferControl.Action.PAUSE, HALF_DONE.because(Cause.ofText(reason)));
        return failures.halfDone("sale " + sale, reason);
    }

    private Outcome<OrderView> count(String sale, Outcome<OrderView> outcome) {
        outcomes.count(outcome.code());
        tally.count(sale, outcome.code());
        return outcome;
    }
}
