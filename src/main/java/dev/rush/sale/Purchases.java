package dev.rush.sale;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.f4b6a3.uuid.UuidCreator;
import dev.rush.RushConfig;
import dev.rush.http.FailedCalls;
import dev.rush.http.Outcome;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.http.WordCounters;
import dev.rush.http.Times;
import dev.rush.order.Writer;
import dev.rush.redis.BatchTarget;
import dev.rush.redis.Batcher;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Steering;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Purchases: one request of {@code purchase.lua} each, and what its reply means. */
@Startup
@Singleton
class Purchases {

    private final Batcher batcher;
    private final Partitions partitions;
    private final Sales sales;
    private final SaleViews views;
    private final SoldOut soldOut;
    private final WordCounters outcomes;
    private final FailedCalls failures;
    private final Writer writer;
    private final String backlogMax;
    /** What a sale's purchases share, so that it is put together once and not per request. */
    private final Cache<String, BatchTarget> targets;

    @Inject
    Purchases(Batcher batcher, Partitions partitions, Sales sales, SaleViews views,
            SoldOut soldOut, FailedCalls failures, Writer writer, RushConfig config,
            MeterRegistry registry) {
        this.batcher = batcher;
        this.partitions = partitions;
        this.sales = sales;
        this.views = views;
        this.soldOut = soldOut;
        this.outcomes = new WordCounters(registry, "rush.purchases", "Purchases by outcome");
        this.failures = failures;
        this.writer = writer;
        this.backlogMax = config.orders().sink().streams()
                ? Long.toString(config.backlog()) : "0";
        this.targets = Caffeine.newBuilder().maximumSize(config.view().entries()).build();
    }

    /**
     * Takes the units, or says why not. Never fails.
     *
     * @param key the client's idempotency key, or null
     */
    CompletableFuture<Outcome<OrderView>> purchase(
            String sale, String user, String key, Lines lines) {
        Problem known = knownSoldOut(sale, key, lines);
        if (known != null) {
            return CompletableFuture.completedFuture(count(new Outcome.Refused<>(known)));
        }
        String order = UuidCreator.getTimeOrderedEpochFast().toString();
        // Without a key of the client's, the order id is the key: it is told to the client when
        // the outcome stays unknown.
        String effectiveKey = key == null ? order : key;
        return batcher.submit(targets.get(sale, this::target), order, user, effectiveKey,
                lines.digest(), lines.text())
                .handle((reply, failure) -> count(failure == null
                        ? outcome(sale, order, user, effectiveKey, lines, reply)
                        : new Outcome.Refused<>(failures.problem(
                                failure, effectiveKey, reason -> failed(sale, reason)))));
    }

    private Problem knownSoldOut(String sale, String key, Lines lines) {
        if (key != null || lines.size() > 1) {
            return null;
        }
        Problem refusal = soldOut.refusal(sale, lines.first());
        SaleView view = refusal == null ? null : views.known(sale);
        return view == null || view.guarded() ? null : refusal;
    }

    private BatchTarget target(String sale) {
        Partition partition = partitions.of(sale);
        return new BatchTarget(SaleScripts.PURCHASE, partition, List.of(
                SaleScripts.key(partition, sale, "conf"),
                SaleScripts.key(partition, sale, "stock"),
                SaleScripts.key(partition, sale, "buyers"),
                SaleScripts.key(partition, sale, "keys"),
                SaleScripts.key(partition, sale, "orders"),
                SaleScripts.key(partition, sale, "placed"),
                SaleScripts.key(partition, sale, "guard"),
                partition.orders(), partition.sequence()), List.of(backlogMax, sale));
    }

    /** The only place that reads a reply of the script. */
    private Outcome<OrderView> outcome(String sale, String order, String user, String key,
            Lines lines, String reply) {
        String[] words = reply.split(" ");
        if (words[0].equals("failed")) {
            return new Outcome.Refused<>(failed(sale, reply));
        }
        Word word = Word.of(words[0]);
        return switch (word) {
            case ACCEPTED -> {
                writer.wake(partitions.of(sale));
                yield new Outcome.Accepted<>(OrderView.of(order, sale, user, "accepted",
                        lines.text(), words[3], Long.parseLong(words[1]),
                        Long.parseLong(words[2])), false);
            }
            case REPLAYED -> new Outcome.Accepted<>(OrderView.of(words[1], sale, user,
                    "accepted", words[4], words[5], Long.parseLong(words[2]),
                    Long.parseLong(words[3])), true);
            default -> new Outcome.Refused<>(refusal(sale, word, words));
        };
    }

    private Problem refusal(String sale, Word word, String[] words) {
        return switch (word) {
            case UNKNOWN_SALE, NOT_LOADED -> {
                views.forget(sale);
                yield Problem.of(word == Word.UNKNOWN_SALE ? views.absence(sale) : word);
            }
            case UNKNOWN_ITEM -> Problem.of(word, "The sale has no item " + words[1] + ".",
                    Map.of("sku", words[1]));
            case NOT_OPEN -> {
                String opensAt = Times.text(Long.parseLong(words[1]));
                yield Problem.of(word, "The sale opens at " + opensAt + ".",
                        Map.of("opensAt", opensAt));
            }
            case LIMIT_REACHED -> Problem.of(word,
                    "At most " + words[2] + " of " + words[1] + " per user.",
                    Map.of("sku", words[1], "limit", Long.parseLong(words[2]),
                            "taken", Long.parseLong(words[3])));
            case SOLD_OUT -> soldOut.mark(sale, words[1]);
            case INSUFFICIENT_STOCK -> Problem.of(word,
                    "Only " + words[2] + " left of " + words[1] + ".",
                    Map.of("sku", words[1], "left", Long.parseLong(words[2])));
            default -> Problem.of(word);
        };
    }

    /** A defect of the script: what it wrote stays, so the sale stops before more is written. */
    private Problem failed(String sale, String reason) {
        sales.steer(sale, Steering.Action.PAUSE);
        return failures.halfDone("sale " + sale, reason);
    }

    private Outcome<OrderView> count(Outcome<OrderView> outcome) {
        outcomes.count(outcome.word());
        return outcome;
    }
}
