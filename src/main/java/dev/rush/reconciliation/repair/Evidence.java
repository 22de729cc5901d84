package dev.rush.reconciliation.repair;

import dev.rush.ledger.Months;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.order.ReportedStep;
import dev.rush.redis.Futures;
import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * A Redis partition's evidence about the ledger: what the ledger had stored, the steps of orders
 * that were reported to clients or freed units, and what was prepared.
 *
 * @param seq      the highest number that the ledger had
 * @param epoch    the highest in Redis, after this check wrote its own; higher only if another
 *                 check came later
 * @param reported the latest steps that can be parsed: those of {@code reported}, then of
 *                 {@code expired}
 * @param sales    all sales listed here
 * @param rains    all rains listed here
 */
record Evidence(Partition partition, long seq, int epoch, List<ReportedStep> reported,
        List<String> sales, List<String> rains) {

    private static final Sql MISSING = Sql.named("steps-missing", """
            SELECT t.number
            FROM unnest(?::integer[], ?::uuid[], ?::integer[], ?::text[]) WITH ORDINALITY
                AS t (month, order_id, step, kind, number)
            LEFT JOIN LATERAL (SELECT true AS found FROM steps s
                WHERE s.month = ANY (?) AND s.month = t.month AND s.order_id = t.order_id
                    AND s.step = t.step AND s.kind = t.kind LIMIT 1) s ON true
            WHERE s.found IS NULL ORDER BY t.number""");

    /** Reads the latest epoch that a partition knows; 0 for none. */
    static CompletableFuture<Integer> epoch(RedisCommands redis, Partition partition) {
        return redis.read("HMGET", partition.keys().named("ledger"), "epoch")
                .thenApply(reply -> (int) number(reply.at(0)));
    }

    /**
     * Reads the evidence after writing an epoch to Redis. From then on no writer of an earlier
     * epoch can remove entries from the stream: what it stored and has not acknowledged may be
     * lost.
     *
     * @param epoch of this check
     */
    static CompletableFuture<Evidence> read(RedisCommands redis, Partition partition, int epoch) {
        return redis.script(RepairScripts.ACKNOWLEDGE,
                partition.keys().orders().named("ledger", "decided"),
                List.of("0", Integer.toString(epoch), ""))
                .thenCompose(acknowledged -> read(redis, partition));
    }

    private static CompletableFuture<Evidence> read(RedisCommands redis, Partition partition) {
        return Futures.together(List.of(
                redis.read("HMGET", partition.keys().named("ledger"), "seq", "epoch"),
                redis.read("LRANGE", partition.keys().named("reported"), "0", "-1"),
                redis.read("LRANGE", partition.keys().named("expired"), "0", "-1"),
                redis.read("ZRANGE", partition.keys().named("sales"), "0", "-1"),
                redis.read("ZRANGE", partition.keys().named("rains"), "0", "-1")))
                .thenApply(found -> new Evidence(partition, number(found.get(0).at(0)),
                        (int) number(found.get(0).at(1)),
                        Stream.concat(found.get(1).texts().stream(), found.get(2).texts().stream())
                                .map(text -> ReportedStep.parse(partition.index(), text))
                                .filter(step -> step != null).toList(),
                        found.get(3).texts(), found.get(4).texts()));
    }

    /** The same, once its steps have been compared. */
    Evidence withoutSteps() {
        return new Evidence(partition, seq, epoch, List.of(), sales, rains);
    }

    /** The reported steps that the ledger lacks, except those of archived months. */
    static List<ReportedStep> missing(Connection connection, Collection<Evidence> evidence)
            throws SQLException {
        List<Integer> months = Months.kept(connection);
        List<ReportedStep> reported = evidence.stream().flatMap(from -> from.reported().stream())
                .filter(step -> months.contains(step.month())).toList();
        return reported.isEmpty() ? List.of() : MISSING.list(connection,
                row -> reported.get(row.getInt(1) - 1),
                SqlArray.integers(reported.stream().map(ReportedStep::month).toList()),
                SqlArray.ids(reported.stream().map(ReportedStep::order).toList()),
                SqlArray.integers(reported.stream().map(ReportedStep::step).toList()),
                SqlArray.texts(reported, ReportedStep::kind), SqlArray.integers(months));
    }

    private static long number(Reply reply) {
        return reply.isNull() ? 0 : reply.number();
    }
}
