package dev.rush.bench.comparison;

import java.util.List;
import java.util.stream.Stream;

/** The ways to compare. */
final class Ways {
    private static final int BATCH = 128;
    private static final int MASTERS = 3;

    private Ways() {
    }

    /** Creates the ways for one run. */
    static List<Way> all(boolean cluster) {
        List<Way> everywhere = List.of(
                new ScriptWay.SetAndQueue(), new ScriptWay.DecrBy(), new ScriptWay.TotalOrdered(),
                new TokenWay(), new CounterWay.IncrThenCompare(), new CounterWay.MultiExec(),
                new CounterWay.Watch(), new LockWay(),
                new RushWay("Rush, one call each", """
                        `purchase.lua` for one buyer a call: window, pause, limit per user, \
                        stock, idempotency record and stream entry, all inside.""", 1, 1),
                new RushWay("Rush, batched", """
                        The same script as the service calls it: all waiting requests, up to 128, \
                        share a call, at most two calls are under way.""", 1, BATCH));
        if (!cluster) {
            return everywhere;
        }
        return Stream.concat(everywhere.stream(), Stream.of(
                new RushWay("Rush, batched, 3 shards", """
                        The same with a third of the stock on each of three masters, dealt out \
                        before the sale, each for a third of the clients.""", MASTERS, BATCH)))
                .toList();
    }
}
