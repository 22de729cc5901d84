package dev.rush.rain;

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
import dev.rush.ledger.GrabRows;
import dev.rush.ledger.RainLedger;
import dev.rush.ledger.writer.Writer;
import dev.rush.offer.FailedCalls;
import dev.rush.offer.OfferControl;
import dev.rush.offer.Outcome;
import dev.rush.offer.OutcomeCounters;
import dev.rush.offer.OutcomeTally;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.batch.BatchTarget;
import dev.rush.redis.batch.Batcher;
import dev.rush.redis.cluster.MasterMemory;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Grabs: one request of {@code grab.lua} each, and the interpretation of its reply. */
@Startup
@Singleton
class Grabs {

    private static final Actor HALF_DONE = Actor.service("half-done");

    private final Batcher batcher;
    private final Partitions partitions;
    private final Rains rains;
    private final RainViewCache views;
    private final EmptyRainCache emptyRains;
    private final FailedCalls failures;
    private final OutcomeCounters outcomes;
    private final OutcomeTally.Tallies tally;
    private final Writer writer;
    private final LedgerGrabs ledger;
    private final TakerRecords records;
    private final RainLedger rows;
    private final MasterMemory memory;
    /** The batch targets of rains, created once and not per request. */
    private final Cache<String, BatchTarget> targets;

    @Inject
    Grabs(Batcher batcher, Partitions partitions, Rains rains, RainViewCache views,
            EmptyRainCache emptyRains, LedgerGrabs ledger, TakerRecords records, RainLedger rows,
            FailedCalls failures, Writer writer, MasterMemory memory, OutcomeTally tally,
            RushConfig config, MeterRegistry registry) {
        this.batcher = batcher;
        this.partitions = partitions;
        this.rains = rains;
        this.views = views;
        this.emptyRains = emptyRains;
        this.failures = failures;
        this.writer = writer;
        this.ledger = ledger;
        this.records = records;
        this.rows = rows;
        this.outcomes = new OutcomeCounters(registry, "rush.grabs", "Grabs by outcome");
        this.tally = tally.rains();
        this.memory = memory;
        this.targets = Caffeine.newBuilder().maximumSize(config.view().entries()).build();
    }

    /**
     * Takes the next envelope, or returns the refusal. Never fails.
     *
     * @param durability of the rain
     * @param key        the client's idempotency key, or null
     */
    CompletableFuture<Outcome<GrabView>> grab(
            String rain, Durability durability, String user, @Nullable String key) {
        Problem empty = key == null ? emptyRains.refusal(rain) : null;
        if (empty != null) {
            return CompletableFuture.completedFuture(count(rain, new Outcome.Refused<>(empty)));
        }
        String grab = UuidCreator.getTimeOrderedEpochFast().toString();
        // Without a client's key, the grab's id is the key, which the client gets if the outcome is
        // unknown.
        String effectiveKey = key == null ? grab : key;
        String what = grab + ' ' + (key == null ? "" : key);
        long deadline = batcher.deadlineNanos();
        Supplier<CompletableFuture<Outcome<GrabView>>> accepted =
                () -> batcher.submit(target(rain, durability), deadline, user, what)
                        .handle((reply, failure) -> failure == null
                                ? outcome(rain, user, grab, reply)
                                : new Outcome.Refused<>(failures.problem(
                                        failure, effectiveKey, reason -> failed(rain, reason))));
        return (durability != Durability.LEDGER ? accepted.get()
                : ledger.answer(new LedgerGrabs.Request(rain, partitions.of(rain), user, grab,
                        effectiveKey, deadline), accepted))
                .thenApply(outcome -> count(rain, outcome));
    }

    /**
     * The grabs of a user, newest first; null if neither store has the rain's. One that may be
     * queued in the stream is accepted; only the ledger has the status of the others, so a
     * confirmed grab never turns back into an accepted one. If users are answered by the ledger,
     * it is always read, because Redis may have lost a confirmed grab. Fails with a problem if the
     * ledger is needed and down.
     */
    CompletableFuture<List<GrabView>> of(String rain, String user) {
        return records.of(rain, user).thenCompose(record -> record == null
                ? ofRetired(rain, user)
                : isLedgerNeeded(rain, record).thenCompose(isNeeded -> isNeeded
                        ? ledger.of(rain, user)
                        : CompletableFuture.completedFuture(List.<GrabRows.Stored>of()))
                        .thenApply(stored -> record.views(rain, user, stored)));
    }

    /** A user's grabs from a rain that Redis does not have; null unless the ledger has them. */
    private CompletableFuture<List<GrabView>> ofRetired(String rain, String user) {
        return views.isOnlyInLedger(rain).thenCompose(isOnlyInLedger -> isOnlyInLedger
                ? ledger.of(rain, user).thenApply(stored ->
                        new TakerRecord(List.of()).views(rain, user, stored))
                : CompletableFuture.completedFuture(null));
    }

    private CompletableFuture<Boolean> isLedgerNeeded(String rain, TakerRecord record) {
        if (!rows.isConfigured() || !record.areAllWaiting()) {
            return CompletableFuture.completedFuture(rows.isConfigured());
        }
        return views.find(rain).thenApply(view ->
                view != null && view.durability() == Durability.LEDGER);
    }

    private BatchTarget target(String rain, Durability durability) {
        boolean replicated = durability == Durability.REPLICAS;
        BatchTarget known = targets.getIfPresent(rain);
        if (known == null || known.isReplicated() != replicated) {
            known = target(rain, replicated);
            targets.put(rain, known);
        }
        return known;
    }

    private BatchTarget target(String rain, boolean replicated) {
        Partition partition = partitions.of(rain);
        return new BatchTarget(RainScripts.GRAB,
                partition.keys().rain(rain, "conf", "envelopes", "takers", "board", "sums")
                        .orders().sequence(),
                () -> List.of(memory.backlogMax(partition), rain), replicated);
    }

    /** The only place that reads a reply of the script. */
    private Outcome<GrabView> outcome(String rain, String user, String grab, String reply) {
        String[] words = reply.split(" ");
        if (words[0].equals("failed")) {
            return new Outcome.Refused<>(failed(rain, reply));
        }
        OutcomeCode code = OutcomeCode.of(words[0]);
        return switch (code) {
            case ACCEPTED -> {
                writer.wake(partitions.of(rain));
                yield new Outcome.Accepted<>(GrabView.accepted(rain, user, grab, words[1],
                        words[2], words[3], words[4]), false);
            }
            case REPLAYED -> new Outcome.Accepted<>(GrabView.accepted(rain, user, words[1],
                    words[2], words[3], words[4], words[5]), true);
            default -> new Outcome.Refused<>(refusal(rain, code, words));
        };
    }

    private Problem refusal(String rain, OutcomeCode code, String[] words) {
        return switch (code) {
            case UNKNOWN_RAIN, NOT_LOADED -> {
                views.forget(rain);
                yield Problem.of(code == OutcomeCode.UNKNOWN_RAIN ? views.absence(rain) : code);
            }
            case NOT_OPEN -> {
                String opensAt = Times.text(Long.parseLong(words[1]));
                yield Problem.of(code, "The rain starts at " + opensAt + ".",
                        Map.of("opensAt", opensAt));
            }
            case LIMIT_REACHED -> Problem.of(code, "At most " + words[1] + " per user.",
                    Map.of("limit", Long.parseLong(words[1]), "taken", Long.parseLong(words[2])));
            case EMPTY -> emptyRains.mark(rain);
            default -> Problem.of(code);
        };
    }

    /**
     * A bug in the script: what it wrote is not rolled back, so the rain is paused before more is
     * written.
     */
    private Problem failed(String rain, String reason) {
        rains.control(rain, OfferControl.Action.PAUSE, HALF_DONE.because(Cause.ofText(reason)));
        return failures.halfDone("rain " + rain, reason);
    }

    private Outcome<GrabView> count(String rain, Outcome<GrabView> outcome) {
        outcomes.count(outcome.code());
        tally.count(rain, outcome.code());
        return outcome;
    }
}
