package dev.rush.rain;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.http.Word;
import dev.rush.offer.Durabilities;
import dev.rush.offer.Views;
import dev.rush.order.KnownIds;
import dev.rush.order.RainLedger;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One view per rain and pod. */
@Singleton
class RainViews extends Views<RainView> {

    private final KnownIds known;

    @Inject
    RainViews(RedisCommands redis, Partitions partitions, Durabilities durabilities, Json json,
            KnownIds known, RainLedger ledger, RushConfig config) {
        super(config, rain -> read(rain, redis, partitions.of(rain), durabilities, json)
                .thenCompose(view -> view != null || !known.isRetiredRain(rain)
                        ? CompletableFuture.completedFuture(view)
                        : kept(rain, ledger, durabilities, json)));
        this.known = known;
    }

    /**
     * Why Redis has no such rain: it never was, Redis lost what the ledger knows, or it has been
     * over for so long that Redis keeps it no longer.
     */
    Word absence(String rain) {
        return known.isRetiredRain(rain) ? Word.CLOSED
                : known.hasRain(rain) ? Word.NOT_LOADED : Word.UNKNOWN_RAIN;
    }

    private static CompletableFuture<RainView> kept(
            String rain, RainLedger ledger, Durabilities durabilities, Json json) {
        return ledger.kept(rain).thenApply(conf ->
                RainView.of(
                rain, System.currentTimeMillis(), conf, null, durabilities, json));
    }

    private static CompletableFuture<RainView> read(
            String rain, RedisCommands redis, Partition partition, Durabilities durabilities,
            Json json) {
        return redis.script(RainScripts.READ,
                partition.keys().rain(rain, "conf", "envelopes", "takers"), List.of())
                .thenApply(reply -> RainView.of(rain, reply, durabilities, json));
    }
}
