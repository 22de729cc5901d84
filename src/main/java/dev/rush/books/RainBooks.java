package dev.rush.books;

import dev.rush.order.Ledger;
import dev.rush.order.StoredIds;
import dev.rush.order.sql.Sql;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** Reconciliation of a rain, read as {@link Books} reads a sale. Nothing is ever given back. */
@Singleton
public class RainBooks {

    private static final Sql PREPARED = Sql.named("rain-prepared",
            "SELECT envelopes, amount FROM rains WHERE rain = ? AND state <> 'preparing'");
    private static final Sql RETIRED = Sql.named("rain-retired",
            "SELECT 1 FROM rains WHERE rain = ? AND state <> 'loaded'");
    private static final Sql GRANTED = Sql.named("grabs-in-books", """
            SELECT count(*), COALESCE(sum(amount), 0) FROM grabs
            WHERE rain = ? AND status = ? AND (seq <= ? OR granted_at_ms < ?)""");
    private static final Sql DEAD_LETTERS = Sql.named("dead-grabs-in-books", """
            SELECT order_id, fields ->> 'amount' FROM dead_letters
            WHERE rain = ? AND state = 'waiting' AND kind = 'grab'""");

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

    /** Envelopes and the money in them. */
    @RegisterForReflection
    @Schema(name = "EnvelopeSum", description = "Envelopes and the money in them, in minor units",
            requiredProperties = {"count", "amount"})
    public record Money(long count, long amount) {

        private static Money of(ResultSet row) throws SQLException {
            return new Money(row.getLong(1), row.getLong(2));
        }

        private Money minus(Money other) {
            return new Money(count - other.count, amount - other.amount);
        }

        private Money plus(Money other) {
            return new Money(count + other.count, amount + other.amount);
        }
    }

    /**
     * The books of a rain.
     *
     * @param ledger   grabs that the ledger confirmed
     * @param rejected grabs that a guard of the ledger refused
     * @param drift    envelopes that Redis handed out less those that are accounted for
     */
    @RegisterForReflection
    @Schema(name = "RainBooks", requiredProperties = {"rain", "verdict", "prepared", "left",
        "granted", "ledger", "rejected", "inStream", "deadLetters", "drift"})
    public record View(String rain, Verdict verdict, Money prepared, Money left, Money granted,
            @Schema(description = "Grabs that the ledger confirmed")
            Money ledger,
            @Schema(description = "Grabs that the ledger's guard refused")
            Money rejected,
            @Schema(description = "Grabs on the way to the ledger")
            long inStream,
            @Schema(description = "Grabs that the ledger cannot take")
            long deadLetters,
            @Schema(description = "Envelopes that Redis handed out less those accounted for")
            long drift) {
    }

    /** What the ledger, the dead letters and the stream have. */
    private record Known(boolean retired, Money prepared, Money confirmed, Money rejected,
            Money deadLetters, Money inStream) {

        /** What a rain came to whose books balanced before Redis let go of it. */
        View retired(String rain) {
            Money granted = confirmed.plus(rejected);
            return new View(rain, Verdict.BALANCED, prepared, prepared.minus(granted), granted,
                    confirmed, rejected, 0, 0, 0);
        }
    }

    /** The books of a rain, or null if the ledger has no such rain. Waits for both stores. */
    public View of(String rain) {
        Partition partition = partitions.of(rain);
        Reply reply = redis.script(BookScripts.RAIN,
                partition.keys().rain(rain, "conf", "envelopes", "takers").orders().sequence(),
                List.of()).join();
        Map<String, String> waiting =
                streams.read(partition, "grab", rain, reply.at(2).text());
        Known known = ledger.transact(connection -> known(connection, rain, reply.at(1).number(),
                reply.at(0).number(), waiting));
        if (known == null || known.retired) {
            return known == null ? null : known.retired(rain);
        }
        boolean there = reply.size() > 4 && reply.at(4).text().equals("loaded");
        Money none = new Money(0, 0);
        boolean counted = reply.size() > 4;
        Money prepared = counted ? money(reply, 5) : known.prepared;
        Money granted = counted ? money(reply, 7) : none;
        Money left = counted ? money(reply, 9) : none;
        Money drift = granted.minus(known.confirmed).minus(known.rejected)
                .minus(known.deadLetters).minus(known.inStream);
        Money missing = prepared.minus(granted).minus(left);
        Verdict verdict = !there ? Verdict.NOT_LOADED
                : Verdict.ofDrift(drift.count != 0 ? drift.count : drift.amount)
                        .orWorse(Verdict.ofDrift(missing.amount));
        return new View(rain, verdict, prepared, left, granted, known.confirmed, known.rejected,
                known.inStream.count, known.deadLetters.count, drift.count);
    }

    private static Money money(Reply reply, int index) {
        return new Money(Long.parseLong(reply.at(index).text()),
                Long.parseLong(reply.at(index + 1).text()));
    }

    private static Known known(Connection connection, String rain, long seq, long redisMs,
            Map<String, String> waiting) throws SQLException {
        LedgerSnapshot.AT_ONE_INSTANT.run(connection);
        Money prepared = PREPARED.first(connection, Money::of, rain);
        if (prepared == null) {
            return null;
        }
        boolean retired = RETIRED.exists(connection, rain);
        Money confirmed = GRANTED.one(connection, Money::of, rain, "confirmed", seq, redisMs);
        Money rejected = GRANTED.one(connection, Money::of, rain, "rejected", seq, redisMs);
        Map<String, String> dead = dead(connection, rain);
        Set<String> ids = new HashSet<>(waiting.keySet());
        ids.addAll(dead.keySet());
        Set<String> stored = StoredIds.of(connection, StoredIds.GRABS, ids);
        dead.keySet().removeAll(stored);
        Map<String, String> inStream = new HashMap<>(waiting);
        inStream.keySet().removeAll(stored);
        inStream.keySet().removeAll(dead.keySet());
        return new Known(retired, prepared, confirmed, rejected, sum(dead), sum(inStream));
    }

    private static Map<String, String> dead(Connection connection, String rain)
            throws SQLException {
        Map<String, String> dead = new HashMap<>();
        DEAD_LETTERS.each(connection, row ->
                dead.put(String.valueOf(row.getString(1)), row.getString(2)), rain);
        return dead;
    }

    private static Money sum(Map<String, String> amounts) {
        long amount = amounts.values().stream()
                .filter(text -> text != null && text.matches("[0-9]{1,16}"))
                .mapToLong(Long::parseLong).sum();
        return new Money(amounts.size(), amount);
    }
}
