package dev.rush.rain;

import static dev.rush.ledger.LedgerProblems.begun;

import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Violations;
import dev.rush.ledger.Actor;
import dev.rush.ledger.OfferState;
import dev.rush.ledger.RainLedger;
import dev.rush.ledger.RainRows;
import dev.rush.ledger.SaleRows;
import dev.rush.offer.Differences;
import dev.rush.offer.Durabilities;
import dev.rush.offer.OfferControl;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Partitions;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Prepares and controls rains. */
@Singleton
public class Rains {

    /** Envelopes per script call, which occupies Redis for about a millisecond. */
    static final int CHUNK = 2000;
    /** Maximum script calls per chunk while other calls prepare the same id. */
    private static final int CALLS_PER_CHUNK_MAX = 4;
    private static final String NO_SEED = "-";
    private static final SaleRows.Entry NEW =
            new SaleRows.Entry(true, true, OfferState.PREPARING, null, 0);

    private final RedisCommands redis;
    private final Partitions partitions;
    private final RainViewCache views;
    private final EmptyRainCache emptyRains;
    private final OfferControl control;
    private final Durabilities durabilities;
    private final Json json;
    private final RainLedger ledger;
    private final SecureRandom seeds = new SecureRandom();

    @Inject
    Rains(RedisCommands redis, Partitions partitions, RainViewCache views,
            EmptyRainCache emptyRains, OfferControl control, Durabilities durabilities, Json json,
            RainLedger ledger) {
        this.redis = redis;
        this.partitions = partitions;
        this.views = views;
        this.emptyRains = emptyRains;
        this.control = control;
        this.durabilities = durabilities;
        this.json = json;
        this.ledger = ledger;
    }

    /**
     * Enters a rain into the ledger, then into Redis, chunk by chunk, or resumes an interrupted
     * attempt. The rain is invisible until its last envelope is written; just before, the ledger
     * records which loading is released. A rain that is released in the ledger and lost in Redis is
     * not filled again. Blocks the calling thread, for about two seconds with a million envelopes.
     *
     * @return the result
     * @throws java.util.concurrent.CompletionException if a store does not answer: {@code
     *                                                  outcome-unknown} once it has begun; a
     *                                                  repeated call then completes the work
     */
    Prepared prepare(String rain, RainRequest request, Actor actor) {
        RainDefinition definition = RainDefinition.of(rain, request, durabilities);
        // A repeated call gets the same answer, even after the end.
        if (definition.endsAt() != 0 && definition.endsAt() <= System.currentTimeMillis()
                && views.fresh(rain).join() == null
                && views.absence(rain) == OutcomeCode.UNKNOWN_RAIN) {
            throw new ProblemException(Violations.problem("endsAt", "must be in the future"));
        }
        RainRequest.Envelopes envelopes = request.envelopes();
        String text = new String(json.write(definition), StandardCharsets.UTF_8);
        String seed = envelopes.amounts() != null ? NO_SEED
                : Long.toString(envelopes.seed() != null ? envelopes.seed() : seeds.nextLong());
        Partition partition = partitions.of(rain);
        SaleRows.Entry entry = ledger.isConfigured() ? ledger.prepare(new RainRows.Terms(rain,
                partition.index(), text, definition.count(), definition.amount(),
                definition.limitPerUser(), definition.endsAt()), actor).join() : NEW;
        if (!entry.same() || entry.state().isRetired()) {
            return entry.same() ? Prepared.EXISTS : Prepared.DIFFERENT;
        }
        boolean isLoaded = entry.state() == OfferState.LOADED;
        CompletableFuture<Reply> draft = redis.change(RainScripts.PREPARE,
                partition.keys().rain(rain, "conf", "draft", "envelopes"),
                List.of(text, seed, envelopes.seed() != null ? "1" : "0",
                        isLoaded ? entry.release() : UUID.randomUUID().toString(),
                        isLoaded ? "1" : "0"));
        String[] words = (ledger.isConfigured() ? begun(draft) : draft).join().word().split(" ");
        if (words[0].equals("exists") && ledger.isConfigured()) {
            // A rain that Redis had before there was a ledger is adopted as it is.
            begun(ledger.loaded(rain, "", actor)).join();
        }
        if (!words[0].equals("draft")) {
            return Prepared.of(words[0]);
        }
        long[] amounts = definition.amounts(
                envelopes.amounts(), NO_SEED.equals(words[1]) ? 0 : Long.parseLong(words[1]));
        return fill(partition, rain, definition, List.of(text, words[1], rain), amounts,
                Integer.parseInt(words[2]), words[3], entry.month(), actor);
    }

    /**
     * The problem of preparing a rain with a request that differs from its definition. Blocks the
     * calling thread.
     */
    Problem differing(String rain, RainRequest request) {
        String requested = new String(
                json.write(RainDefinition.of(rain, request, durabilities)),
                StandardCharsets.UTF_8);
        if (ledger.isConfigured()) {
            return differing(ledger.kept(rain).join().definition(), requested);
        }
        Reply known = redis.command("HGET", partitions.of(rain).keys().rain(rain, "conf"),
                "definition").join();
        // Another preparation may be running, whose definition cannot be read yet.
        return known.isNull() ? Problem.of(OutcomeCode.RAIN_EXISTS)
                : differing(known.word(), requested);
    }

    private Problem differing(String known, String requested) {
        return Differences.problem(
                OutcomeCode.RAIN_EXISTS, json, known, requested, RainDefinition::requested);
    }

    private Prepared fill(Partition partition, String rain, RainDefinition definition,
            List<String> identity, long[] amounts, int already, String epoch, int month,
            Actor actor) {
        Keys keys = partition.keys().rain(rain, "conf", "draft", "envelopes").named("rains")
                .rain(rain, "takers", "board", "sums").orders().sequence();
        List<String> head = new ArrayList<>(identity);
        head.addAll(List.of(Long.toString(definition.startsAt()),
                Long.toString(definition.endsAt()), Long.toString(definition.limitPerUser()),
                Integer.toString(definition.count()), Long.toString(definition.amount()), epoch));
        int filled = already;
        int callsMax = CALLS_PER_CHUNK_MAX * (amounts.length / CHUNK + 1);
        for (int call = 0; call < callsMax; call++) {
            if (filled + CHUNK >= amounts.length && ledger.isConfigured()
                    && !epoch.equals(begun(ledger.loaded(rain, epoch, actor)).join())) {
                return Prepared.NOT_LOADED;
            }
            List<String> args = new ArrayList<>(head);
            args.addAll(List.of(Integer.toString(filled), Integer.toString(month)));
            for (int i = filled; i < amounts.length && i < filled + CHUNK; i++) {
                args.add(Long.toString(amounts[i]));
            }
            String[] words = begun(redis.change(RainScripts.FILL, keys, args))
                    .join().word().split(" ");
            if (!words[0].equals("filled")) {
                return Prepared.of(words[0]);
            }
            filled = Integer.parseInt(words[1]);
        }
        return Prepared.UNAVAILABLE;
    }

    /** The result of preparing. */
    enum Prepared {
        CREATED, EXISTS, DIFFERENT, NOT_LOADED, UNAVAILABLE;

        private static Prepared of(String word) {
            return switch (word) {
                case "created" -> CREATED;
                case "exists" -> EXISTS;
                case "rain-exists" -> DIFFERENT;
                case "not-loaded" -> NOT_LOADED;
                case "unavailable" -> UNAVAILABLE;
                default -> throw new IllegalArgumentException("No such word: " + word);
            };
        }
    }

    /** Pauses, resumes or closes a rain. Completes with null on success, else with the refusal. */
    public CompletableFuture<Problem> control(
            String rain, OfferControl.Action action, Actor actor) {
        return control.apply(partitions.of(rain).keys().rain(rain, "conf"), action,
                OutcomeCode.UNKNOWN_RAIN, ledger.change(rain, actor)).thenApply(result -> {
                    views.forget(rain);
                    emptyRains.forget(rain);
                    return result.problem(action, OutcomeCode.UNKNOWN_RAIN,
                            () -> views.absence(rain));
                });
    }
}
