package dev.rush.redis.batch;

import dev.rush.redis.cluster.Loop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/**
 * One event loop's lanes: one for each busy {@link BatchTarget}, hence one per shard of a sale.
 * Used on that event loop only.
 */
final class Lanes {

    private final Loop loop;
    private final LaneLimits limits;
    private final Map<BatchTarget, Lane> lanes = new HashMap<>();

    Lanes(Loop loop, LaneLimits limits) {
        this.loop = loop;
        this.limits = limits;
        loop.onSweep(this::sweep);
    }

    /** The lane of a target, made when it is first needed and forgotten once idle. */
    Lane of(BatchTarget target) {
        assert loop.context().inThread();
        Lane lane = lanes.get(target);
        if (lane == null) {
            lane = new Lane(loop, target, limits);
            lanes.put(target, lane);
        }
        return lane;
    }

    /** Looks after deadlines, and forgets idle lanes. Returns whether any are left. */
    private boolean sweep(long now) {
        for (Lane lane : new ArrayList<>(lanes.values())) {
            lane.expire(now);
        }
        lanes.values().removeIf(lane -> lane.isForgotten(now));
        return !lanes.isEmpty();
    }
}
