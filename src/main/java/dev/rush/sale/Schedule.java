package dev.rush.sale;

import static dev.rush.ledger.LedgerProblems.begun;

import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.Violations;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.offer.OfferControl;
import dev.rush.redis.Change;
import dev.rush.redis.Futures;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.sale.shard.ShardScripts;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/**
 * Changes the title and times of a sale. Redis decides, by its clock: first on the first shard,
 * then on the others; if this is interrupted, {@link ShardKeeper} completes it. The ledger copies
 * the new terms from there. Purchases are decided by the times in force when their script runs.
 */
@Singleton
class Schedule {

    private static final String NONE = "-";
    /** Maximum retries after concurrent changes. */
    private static final int TRIES_MAX = 5;

    private final RedisCommands redis;
    private final Preparation preparation;
    private final SaleViewCache views;
    private final SoldOutCache soldOut;
    private final OfferControl control;
    private final Ledger ledger;
    private final Json json;

    @Inject
    Schedule(RedisCommands redis, Preparation preparation, SaleViewCache views,
            SoldOutCache soldOut, OfferControl control, Ledger ledger, Json json) {
        this.redis = redis;
        this.preparation = preparation;
        this.views = views;
        this.soldOut = soldOut;
        this.control = control;
        this.ledger = ledger;
        this.json = json;
    }

    /** A requested change, the same for every attempt. */
    private record Wanted(String sale, Shards shards, RescheduleRequest request, Change change) {
    }

    /** Applies the request. Completes with null on success, else with the refusal. */
    CompletableFuture<Problem> change(String sale, RescheduleRequest request, Actor actor) {
        Change change = ledger.change("sale", sale, actor);
        return views.shards(sale)
                .thenCompose(shards ->
                        decide(new Wanted(sale, shards, request, change), TRIES_MAX))
                .thenApply(problem -> {
                    views.forget(sale);
                    soldOut.forget(sale);
                    return problem;
                });
    }

    private CompletableFuture<Problem> decide(Wanted wanted, int tries) {
        return preparation.definition(wanted.sale, wanted.shards).thenCompose(earlier -> {
            if (earlier == null) {
                return CompletableFuture.completedFuture(
                        Problem.of(views.absence(wanted.sale)));
            }
            SaleDefinition definition = wanted.request.of(wanted.sale, read(earlier));
            return decide(wanted, definition, earlier).thenCompose(reply -> {
                String[] words = reply.word().split(" ");
                return switch (words[0]) {
                    case "done" -> followed(wanted, definition, words[1]);
                    case "overtaken" -> tries > 1 ? decide(wanted, tries - 1)
                            : CompletableFuture.completedFuture(
                                    Problem.of(OutcomeCode.UNAVAILABLE));
                    default -> CompletableFuture.completedFuture(problem(wanted.sale, words[0]));
                };
            });
        });
    }

    private CompletableFuture<Reply> decide(
            Wanted wanted, SaleDefinition definition, String earlier) {
        Keys keys = wanted.shards.first().keys().sale(wanted.sale, "conf").unfinished();
        return send(wanted.change.keys(keys), definition, write(definition), earlier, NONE,
                wanted.shards.isSplit() ? ShardScripts.scheduleNote(wanted.sale) : NONE,
                wanted.change);
    }

    private CompletableFuture<Reply> send(Keys keys, SaleDefinition definition, String text,
            String earlier, String version, String note, Change change) {
        return redis.change(SaleScripts.RESCHEDULE, keys, change.args(text,
                Long.toString(definition.opensAt()), Long.toString(definition.closesAt()),
                earlier, version, note));
    }

    private CompletableFuture<Problem> followed(
            Wanted wanted, SaleDefinition definition, String version) {
        return begun(follow(wanted.sale, wanted.shards, write(definition), version))
                .thenApply(done -> null);
    }

    /** Copies the first shard's times to the others, then removes its note of this version. */
    CompletableFuture<Void> follow(
            String sale, Shards shards, String definition, String version) {
        SaleDefinition terms = read(definition);
        return Futures.together(shards.partitions().stream().skip(1).map(shard ->
                follow(sale, shard, terms, definition, version)).toList())
                // If a shard has followed a later change, that change's note remains.
                .thenCompose(followed -> followed.contains(false)
                        ? CompletableFuture.completedFuture(null)
                        : followed(sale, shards, version));
    }

    private CompletableFuture<Boolean> follow(
            String sale, Partition shard, SaleDefinition terms, String text, String version) {
        return send(shard.keys().sale(sale, "conf"), terms, text, "", version, NONE, Change.NONE)
                .thenApply(reply -> {
                    String[] words = reply.word().split(" ");
                    return !words[0].equals("done") || words[1].equals(version);
                });
    }

    /** Removes the note of a change that shards have to follow, unless a later one was noted. */
    CompletableFuture<Void> followed(String sale, Shards shards, String version) {
        return !shards.isSplit() ? CompletableFuture.completedFuture(null)
                : control.followed(shards.first(), ShardScripts.scheduleNote(sale), version);
    }

    private Problem problem(String sale, String word) {
        return switch (word) {
            case "past" -> Violations.problem("closesAt", "must be in the future");
            case "unknown-sale" -> Problem.of(views.absence(sale));
            default -> Problem.of(OutcomeCode.of(word));
        };
    }

    private SaleDefinition read(String definition) {
        return json.read(definition.getBytes(StandardCharsets.UTF_8), SaleDefinition.class);
    }

    private String write(SaleDefinition definition) {
        return new String(json.write(definition), StandardCharsets.UTF_8);
    }
}
