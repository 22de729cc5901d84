package dev.rush.sale;

import static dev.rush.ledger.LedgerProblems.begun;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.OfferState;
import dev.rush.ledger.SaleLedger;
import dev.rush.ledger.SaleRows;
import dev.rush.offer.Differences;
import dev.rush.redis.Futures;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Reply;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.sale.shard.MissingKeys;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Prepares sales: the ledger first, then all shards in Redis. A repeated call resumes where an
 * earlier one was interrupted.
 */
@Singleton
public class Preparation {

    private static final int SHARDS_MAX = 64;
    /** The month of a sale without a ledger. */
    private static final int NO_MONTH = 0;

    private final RedisCommands redis;
    private final Partitions partitions;
    private final MissingKeys keys;
    private final Json json;
    private final Ledger ledger;
    private final SaleLedger saleLedger;
    private final boolean canReserve;

    @Inject
    Preparation(RedisCommands redis, Partitions partitions, MissingKeys keys, Json json,
            Ledger ledger, SaleLedger saleLedger, RushConfig config) {
        this.redis = redis;
        this.partitions = partitions;
        this.keys = keys;
        this.json = json;
        this.ledger = ledger;
        this.saleLedger = saleLedger;
        this.canReserve = config.orders().sink() != RushConfig.Sink.KAFKA;
    }

    /** Whether sales may have a payment window, which needs a ledger. */
    boolean canReserve() {
        return canReserve;
    }

    /** Maximum number of shards of a sale, each in its own partition. */
    int shardsMax() {
        return Math.min(SHARDS_MAX, partitions.count());
    }

    /** The result of preparing. */
    enum Prepared { CREATED, EXISTS, DIFFERENT, NOT_LOADED }

    /** The result of holding the stock back in one shard: held with its epoch, or another word. */
    private record Held(String word, String epoch) {
    }

    /**
     * Prepares a sale. Fails with a problem while the ledger is down; {@code outcome-unknown} means
     * that it has begun and that the same call completes it.
     */
    CompletableFuture<Prepared> prepare(
            String sale, SaleDefinition definition, Actor actor) {
        String text = new String(json.write(definition), StandardCharsets.UTF_8);
        Shards shards = partitions.shards(sale, definition.shards());
        if (!ledger.isConfigured()) {
            return hold(sale, text, definition, shards).thenCompose(held -> isDifferent(held)
                    ? CompletableFuture.completedFuture(Prepared.DIFFERENT)
                    : begun(load(sale, definition, shards,
                            held.stream().map(Held::epoch).toList(), NO_MONTH)));
        }
        return saleLedger.prepare(terms(sale, shards, text, definition), actor).thenCompose(
                entry -> begun(isSame(entry, sale, shards, text)).thenCompose(same -> {
                    if (!same || entry.state().isRetired()) {
                        return CompletableFuture.completedFuture(
                                same ? Prepared.EXISTS : Prepared.DIFFERENT);
                    }
                    return begun(entry.state() == OfferState.LOADED
                            ? load(sale, definition, shards,
                                    Objects.requireNonNull(entry.release()), entry.month())
                            : hold(sale, text, definition, shards).thenCompose(held ->
                                    release(sale, definition, shards, held, entry.month(),
                                            actor)));
                }));
    }

    /** If times were changed, Redis has the current ones first. */
    private CompletableFuture<Boolean> isSame(
            SaleRows.Entry entry, String sale, Shards shards, String text) {
        return entry.fresh() || entry.state().isRetired()
                ? CompletableFuture.completedFuture(entry.same())
                : definition(sale, shards).thenApply(known ->
                        known == null ? entry.same() : known.equals(text));
    }

    /** The definition of a sale as released in Redis; null if there is none. */
    CompletableFuture<String> definition(String sale, Shards shards) {
        return redis.command("HMGET", shards.first().keys().sale(sale, "conf"), "definition",
                "loading").thenApply(conf ->
                        conf.at(0).isNull() || !conf.at(1).isNull() ? null : conf.at(0).text());
    }

    /** The problem of preparing a sale with a definition that differs from the existing one. */
    CompletableFuture<Problem> differing(String sale, SaleDefinition definition) {
        Shards shards = partitions.shards(sale, definition.shards());
        String requested = new String(json.write(definition), StandardCharsets.UTF_8);
        return definition(sale, shards)
                .thenCompose(known -> known != null || !ledger.isConfigured()
                        ? CompletableFuture.completedFuture(known)
                        : saleLedger.kept(sale).thenApply(SaleRows.Kept::definition))
                .thenApply(known -> known == null ? Problem.of(OutcomeCode.SALE_EXISTS)
                        : Differences.problem(OutcomeCode.SALE_EXISTS, json, known, requested,
                                UnaryOperator.identity()));
    }

    private static SaleRows.Terms terms(
            String sale, Shards shards, String text, SaleDefinition definition) {
        return new SaleRows.Terms(sale,
                shards.partitions().stream().map(Partition::index).toList(), text,
                definition.returnRestoresLimit(), definition.paymentWindow(),
                definition.ordersPerUser(), definition.closesAt(),
                definition.items().stream().map(item -> new SaleRows.Item(
                        item.sku(), item.total(), item.limitPerUser())).toList());
    }

    private static boolean isDifferent(List<Held> held) {
        return held.stream().anyMatch(shard -> shard.word.equals("sale-exists"));
    }

    /** Records in the ledger which loading is released, then releases it. */
    private CompletableFuture<Prepared> release(
            String sale, SaleDefinition definition, Shards shards, List<Held> held, int month,
            Actor actor) {
        if (isDifferent(held)) {
            return CompletableFuture.completedFuture(Prepared.DIFFERENT);
        }
        // A sale that Redis had before there was a ledger is adopted as it is.
        return saleLedger.loaded(sale, held.get(0).epoch, actor)
                .thenCompose(epoch -> load(sale, definition, shards, epoch, month));
    }

    /** Holds back the stock of all shards, under the epoch of the first. */
    private CompletableFuture<List<Held>> hold(
            String sale, String text, SaleDefinition definition, Shards shards) {
        return hold(sale, shards.first(), text, definition, UUID.randomUUID().toString())
                .thenCompose(first -> Futures.together(
                        shards.partitions().stream().skip(1).map(shard ->
                                hold(sale, shard, text, definition, first.epoch)).toList())
                        .thenApply(others -> {
                            List<Held> all = new ArrayList<>(List.of(first));
                            all.addAll(others);
                            return all;
                        }));
    }

    private CompletableFuture<Held> hold(String sale, Partition partition, String text,
            SaleDefinition definition, String epoch) {
        return redis.change(SaleScripts.PREPARE, partition.keys().sale(sale, "conf"), List.of(text,
                        Long.toString(definition.opensAt()), Long.toString(definition.closesAt()),
                        definition.duplicateGuard().text(),
                        Long.toString(definition.duplicateGuardWindow()),
                        Long.toString(definition.paymentWindow()),
                        definition.returnRestoresLimit() ? "1" : "0",
                        Long.toString(definition.ordersPerUser()),
                        Long.toString(definition.unpaidHolds()), epoch))
                .thenApply(reply -> {
                    String[] words = reply.word().split(" ");
                    return new Held(words[0],
                            words[0].equals("held") && words.length > 1 ? words[1] : "");
                });
    }

    private CompletableFuture<Prepared> load(
            String sale, SaleDefinition definition, Shards shards, String epoch, int month) {
        return load(sale, definition, shards,
                shards.partitions().stream().map(shard -> epoch).toList(), month);
    }

    /** Releases the stock of all shards, each under its epoch. */
    private CompletableFuture<Prepared> load(
            String sale, SaleDefinition definition, Shards shards, List<String> epochs,
            int month) {
        return keys.ensure(sale, shards).thenCompose(done -> Futures.together(
                IntStream.range(0, shards.count()).mapToObj(shard ->
                        load(sale, definition, shards, shard, epochs.get(shard), month))
                        .toList()))
                .thenApply(words -> words.contains("not-loaded") ? Prepared.NOT_LOADED
                        : words.contains("created") ? Prepared.CREATED : Prepared.EXISTS);
    }

    private CompletableFuture<String> load(
            String sale, SaleDefinition definition, Shards shards, int shard, String epoch,
            int month) {
        boolean first = shard == 0;
        List<String> args = new ArrayList<>(
                List.of(epoch, sale, first ? "1" : "0", Integer.toString(month)));
        for (SaleDefinition.Item item : definition.items()) {
            args.add(item.sku());
            args.add(Long.toString(share(item.total(), shard, shards.count())));
            args.add(Long.toString(item.limitPerUser()));
            args.add(first && shards.isSplit() ? Long.toString(item.total()) : "-");
        }
        return redis.change(SaleScripts.LOAD,
                shards.get(shard).keys().sale(sale, "conf", "stock").named("sales"), args)
                .thenApply(Reply::text);
    }

    /** The share of one shard: an equal part of the units, rounded up or down. */
    public static long share(long units, int shard, int count) {
        return units / count + (shard < units % count ? 1 : 0);
    }
}
