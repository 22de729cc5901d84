package dev.rush.reconciliation.report;

import dev.rush.ledger.Ledger;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Reconciliation of a rain, read as {@link Books} reads a sale. A rain has no credits. */
@Singleton
public class RainBooks {

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final StreamScan streams;

    @Inject
    RainBooks(Ledger ledger, RedisCommands redis, Partitions partitions, StreamScan streams) {
        this.ledger = ledger;
        this.redis = redis;
        this.partitions = partitions;
        this.streams = streams;
    }

    /**
     * The books of a rain.
     *
     * @param ledger   grabs that the ledger confirmed
     * @param rejected grabs that a guard of the ledger rejected
     * @param drift    envelopes handed out by Redis minus those that are accounted for
     */
    @RegisterForReflection
    @Schema(name = "RainBooks", requiredProperties = {"rain", "verdict", "prepared", "left",
        "granted", "ledger", "rejected", "inStream", "deadLetters", "drift"})
    public record View(String rain, Verdict verdict, Money prepared, Money left, Money granted,
            @Schema(description = "Grabs that the ledger confirmed")
            Money ledger,
            @Schema(description = "Grabs that the ledger's guard rejected")
            Money rejected,
            @Schema(description = "Grabs on the way to the ledger")
            long inStream,
            @Schema(description = "Grabs that the ledger cannot store")
            long deadLetters,
            @Schema(description = "Envelopes that Redis handed out, minus those accounted for")
            long drift) {
    }

    /** The books of a rain, or null if the ledger has no such rain. Waits for both stores. */
    public @Nullable View of(String rain) {
        Partition partition = partitions.of(rain);
        Reply reply = redis.script(ReportScripts.RAIN,
                partition.keys().rain(rain, "conf", "envelopes", "takers").orders().sequence(),
                List.of()).join();
        String last = reply.at(2).word();
        Map<String, String> waiting = streams.isPast(partition, last) ? Map.of()
                : streams.read(partition, "grab", rain, last);
        long seq = isThere(reply) ? reply.at(1).number() : BookSums.Shard.NONE_AFTER;
        Optional<RainSums> known = ledger.readSnapshot((connection, ledgerState) ->
                Optional.ofNullable(RainSums.read(
                        connection, rain, seq, reply.at(0).number(), waiting)));
        return known.map(sums -> sums.retired() ? retired(rain, sums) : loaded(rain, sums, reply))
                .orElse(null);
    }

    /** The final books of a rain that was retired with balanced books. */
    private static View retired(String rain, RainSums known) {
        Money granted = known.granted().plus(known.rejected());
        return new View(rain, Verdict.BALANCED, known.prepared(),
                known.prepared().minus(granted), granted, known.granted(), known.rejected(), 0,
                0, 0);
    }

    private static View loaded(String rain, RainSums known, Reply reply) {
        boolean counted = reply.size() > 4;
        Money none = new Money(0, 0);
        Money prepared = counted ? money(reply, 5) : known.prepared();
        Money granted = counted ? money(reply, 7) : none;
        Money left = counted ? money(reply, 9) : none;
        Money drift = granted.minus(known.granted()).minus(known.rejected())
                .minus(known.failed()).minus(known.waiting());
        Money missing = prepared.minus(granted).minus(left);
        Verdict verdict = !isThere(reply) ? Verdict.NOT_LOADED
                : Verdict.ofDrift(drift.count() != 0 ? drift.count() : drift.amount())
                        .orWorse(Verdict.ofDrift(missing.amount()));
        return new View(rain, verdict, prepared, left, granted, known.granted(),
                known.rejected(), known.waiting().count(), known.failed().count(), drift.count());
    }

    private static boolean isThere(Reply reply) {
        return reply.size() > 4 && reply.at(4).word().equals("loaded");
    }

    private static Money money(Reply reply, int first) {
        return new Money(Long.parseLong(reply.at(first).text()),
                Long.parseLong(reply.at(first + 1).text()));
    }
}
