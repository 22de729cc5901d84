package dev.rush.redis.batch;

import dev.rush.redis.OutcomeClass;
import dev.rush.redis.Partition;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.CheckIn;
import dev.rush.redis.cluster.ErrorReplies;
import dev.rush.redis.cluster.Node;
import dev.rush.redis.cluster.Tenure;
import io.vertx.core.AsyncResult;
import io.vertx.redis.client.Response;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * Asks a partition for its tenures over each connection before the first request goes there. The
 * question is sent right before that request, so nobody waits for it. Where it fails, requests go
 * on, and only numbers that go back show a loss. Thread-safe.
 */
final class CheckIns {

    private static final Logger LOG = Logger.getLogger(CheckIns.class);

    private final Sequences sequences;
    private final AtomicBoolean warned = new AtomicBoolean();

    CheckIns(Sequences sequences) {
        this.sequences = sequences;
    }

    /**
     * A connection's check-in, which is sent now if the last one is over. On the node's event loop.
     *
     * @param asText whether the node does not know the scripts
     */
    CheckIn at(Partition partition, Node node, boolean asText) {
        CheckIn known = node.checkIn(partition);
        if (known != null && !known.isOver(System.nanoTime())) {
            return known;
        }
        CheckIn next = new CheckIn(sequences.mark(partition).tenure());
        node.checkIn(partition, next);
        boolean hasFailed = known != null && known.hasFailed();
        node.send(BatchScripts.TENURES.request(
                partition.keys().sequence().named("tenures"), asText || hasFailed))
                .onComplete(result -> answered(partition, node, next, result));
        return next;
    }

    private void answered(
            Partition partition, Node node, CheckIn checkIn, AsyncResult<Response> result) {
        try {
            RedisFailure failure = result.succeeded() ? null
                    : ErrorReplies.classify(result.cause());
            // What replicas lack makes no difference to what their master said.
            Response reply = failure == null ? result.result() : failure.reply();
            if (failure == null || reply != null) {
                answered(partition, node, checkIn, Reply.of(reply));
            } else if (failure.outcomeClass() == OutcomeClass.HALF_DONE
                    || failure.getMessage().equals("NOPERM")) {
                unknown(checkIn, failure.getMessage());
            } else {
                checkIn.failed();
            }
        } catch (RuntimeException e) {
            unknown(checkIn, e.toString());
        }
    }

    private void answered(Partition partition, Node node, CheckIn checkIn, Reply reply) {
        long now = System.nanoTime();
        List<Tenure> tenures = reply.texts().stream().map(Tenure::parse).toList();
        if (tenures.isEmpty()) {
            unknown(checkIn, "no run id");
        } else {
            checkIn.answered(tenures.get(tenures.size() - 1), now);
            sequences.checkIn(partition, tenures, checkIn.latest(),
                    node.clock().toRedisMillis(now));
        }
    }

    private void unknown(CheckIn checkIn, String reason) {
        checkIn.answered(Tenure.UNKNOWN, System.nanoTime());
        if (warned.compareAndSet(false, true)) {
            LOG.warnf("Redis reports no tenures, so some of what it loses may go unnoticed: %s",
                    reason);
        }
    }
}
