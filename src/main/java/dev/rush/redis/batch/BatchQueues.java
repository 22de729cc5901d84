package dev.rush.redis.batch;

import dev.rush.redis.cluster.EventLoopClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/**
 * One event loop's queues: one for each busy {@link BatchTarget}, so one per shard of a sale. Used
 * only on that event loop.
 */
final class BatchQueues {

    private final EventLoopClient loop;
    private final BatchQueueLimits limits;
    private final Map<BatchTarget, BatchQueue> queues = new HashMap<>();

    BatchQueues(EventLoopClient loop, BatchQueueLimits limits) {
        this.loop = loop;
        this.limits = limits;
        loop.onSweep(this::sweep);
    }

    /** The queue of a target, created when it is first needed and removed once idle. */
    BatchQueue of(BatchTarget target) {
        assert loop.context().inThread();
        BatchQueue queue = queues.get(target);
        if (queue == null) {
            queue = new BatchQueue(loop, target, limits);
            queues.put(target, queue);
        }
        return queue;
    }

    /** Expires requests and removes idle queues. Returns whether any queues are left. */
    private boolean sweep(long now) {
        for (BatchQueue queue : new ArrayList<>(queues.values())) {
            queue.expire(now);
        }
        queues.values().removeIf(queue -> queue.isForgotten(now));
        return !queues.isEmpty();
    }
}
