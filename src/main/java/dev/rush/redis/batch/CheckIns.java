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
 * Reads a partition's tenures over each connection before the first request. The call is sent right
 * before that request, so nothing waits for it. If it does not run, it is repeated with the next
 * call; until it is answered, only a number below the highest of a known tenure shows a loss. If
 * Redis reports no tenures, any number that decreases does. Thread-safe.
 */
final class CheckIns {

    private static final Logger LOG = Logger.getLogger(CheckIns.class);

    private final Sequences sequences;
    private final AtomicBoolean warned = new AtomicBoolean();

    CheckIns(Sequences sequences) {
        this.sequences = sequences;
    }

    /**
     * A connection's check-in, which is sent now if the last one has ended. Called on the node's
     * event loop.
     *
     * @param asText whether the node lacks the scripts
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
        RedisFailure failure = result.succeeded() ? null
                : ErrorReplies.classify(result.cause());
        // What replicas lack does not affect their master's reply.
        Response reply = failure == null ? result.result() : failure.reply();
        if (failure != null && reply == null) {
            if (failure.outcomeClass() == OutcomeClass.HALF_DONE
                    || failure.getMessage().equals("NOPERM")) {
                unknown(partition, checkIn, failure.getMessage());
            } else {
                checkIn.failed();
            }
            return;
        }
        List<Tenure> tenures;
        try {
            tenures = Reply.of(reply).texts().stream().map(Tenure::parse).toList();
        } catch (RuntimeException e) {
            unknown(partition, checkIn, e.toString());
            return;
        }
        if (tenures.isEmpty()) {
            unknown(partition, checkIn, "no run id");
            return;
        }
        long now = System.nanoTime();
        checkIn.answered(tenures.get(tenures.size() - 1), now);
        sequences.checkIn(
                partition, tenures, checkIn.latest(), node.clock().toRedisMillis(now));
    }

    private void unknown(Partition partition, CheckIn checkIn, String reason) {
        checkIn.answered(Tenure.UNKNOWN, System.nanoTime());
        sequences.forgetTenures(partition);
        if (warned.compareAndSet(false, true)) {
            LOG.warnf("Redis reports no tenures, so some losses may go unnoticed: %s",
                    reason);
        }
    }
}
