package dev.rush.redis.batch;

import dev.rush.redis.OutcomeClass;
import dev.rush.redis.Partition;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.CheckIn;
import dev.rush.redis.cluster.Epoch;
import dev.rush.redis.cluster.ErrorReplies;
import dev.rush.redis.cluster.Node;
import io.vertx.core.AsyncResult;
import io.vertx.redis.client.Response;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * Asks a partition for its epochs over each connection before the first request goes there. The
 * question is sent right before that request, so nobody waits for it, and where it fails requests
 * go on: then only a loss may go unnoticed. Thread-safe.
 */
final class CheckIns {

    private static final Logger LOG = Logger.getLogger(CheckIns.class);

    private final Sequences sequences;
    private final AtomicBoolean warned = new AtomicBoolean();

    CheckIns(Sequences sequences) {
        this.sequences = sequences;
    }

    /**
     * The check-in of a connection, which is sent now if that is due. On the node's event loop.
     *
     * @param asText whether the node does not know the script
     */
    CheckIn at(Partition partition, Node node, boolean asText) {
        CheckIn checkIn = node.checkIn(partition);
        if (checkIn.isDue(System.nanoTime(), asText)) {
            checkIn.asked();
            node.send(BatchScripts.EPOCHS.request(
                    partition.keys().sequence().named("epochs"), asText))
                    .onComplete(result -> answered(partition, checkIn, result));
        }
        return checkIn;
    }

    private void answered(Partition partition, CheckIn checkIn, AsyncResult<Response> result) {
        Epoch epoch = null;
        try {
            RedisFailure failure = result.succeeded() ? null
                    : ErrorReplies.classify(result.cause());
            // What replicas lack makes no difference to what their master said.
            Response reply = failure == null ? result.result() : failure.reply();
            if (reply != null) {
                epoch = sequences.checkIn(partition, epochs(Reply.of(reply)));
            } else if (failure != null && failure.outcomeClass() == OutcomeClass.HALF_DONE) {
                epoch = Epoch.UNKNOWN;
                warn(failure);
            }
        } catch (RuntimeException e) {
            warn(e);
        }
        checkIn.answered(epoch, System.nanoTime());
    }

    private void warn(RuntimeException reason) {
        if (warned.compareAndSet(false, true)) {
            LOG.warn("Redis tells no epochs: what it loses may go unnoticed", reason);
        }
    }

    private static List<Epoch> epochs(Reply reply) {
        if (reply.size() == 0) {
            return List.of(Epoch.UNKNOWN);
        }
        return reply.texts().stream().map(Epoch::parse).toList();
    }
}
