package dev.rush.redis.cluster;

import dev.rush.RushConfig;
import dev.rush.redis.OutcomeClass;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Reply;
import io.vertx.core.Future;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Compares the configured number of partitions with the one recorded in Redis. The number is
 * recorded at the first start, in sixteen copies spread over all slots, so that any master of up to
 * sixteen can supply it while others are down. A different number ends the process, because every
 * key would be searched in the wrong place.
 */
@Singleton
class PartitionCheck {

    private static final Logger LOG = Logger.getLogger(PartitionCheck.class);
    private static final int COPIES = 16;
    private static final String NAME = "partitions";

    private final Router router;
    private final RedisCommands commands;
    private final String wanted;
    /** Copies that this pod has not read yet. Used only on the background event loop. */
    private final Set<Partition> unseen = new HashSet<>(new Partitions(COPIES).all());
    private boolean different;

    @Inject
    PartitionCheck(Router router, RedisCommands commands, RushConfig config) {
        this.router = router;
        this.commands = commands;
        this.wanted = Integer.toString(config.partitions());
    }

    /**
     * Reads the copies on these masters that this pod has not read yet, and writes missing ones.
     * Succeeds if any copy was ever read.
     */
    Future<Void> check(Set<Endpoint> masters) {
        if (different) {
            return Future.failedFuture("rush.partitions differs from the number recorded in Redis");
        }
        List<Partition> reading = unseen.stream().filter(copy -> {
            Endpoint master = router.topology().master(copy.slot());
            return master != null && masters.contains(master);
        }).toList();
        List<Future<?>> answers = new ArrayList<>();
        for (Partition copy : reading) {
            answers.add(Future.fromCompletionStage(recorded(copy), router.background().context())
                    .onSuccess(reply -> seen(copy, reply.text())));
        }
        return Future.join(answers).transform(done -> unseen.size() < COPIES && !different
                ? Future.succeededFuture()
                : Future.failedFuture(done.failed() ? done.cause() : new RedisFailure(
                        OutcomeClass.NOTHING_HAPPENED, "no master answers")));
    }

    /** The number in a copy, which this pod records first if there is none. */
    private CompletableFuture<Reply> recorded(Partition copy) {
        Keys key = copy.keys().named(NAME);
        // Read first, because a full Redis refuses SET even with an unchanged value.
        return commands.command("GET", key).thenCompose(known -> !known.isNull()
                ? CompletableFuture.completedFuture(known)
                : commands.command("SET", key, wanted, "NX", "GET"));
    }

    private void seen(Partition copy, @Nullable String found) {
        if (found == null || found.equals(wanted)) {
            unseen.remove(copy);
        } else if (!different) {
            different = true;
            LOG.fatalf("This Redis was set up with rush.partitions=%s, not %s. "
                    + "Start with that number.", found, wanted);
            io.quarkus.runtime.Quarkus.asyncExit(1);
        }
    }
}
