package dev.rush.bench.comparison;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What a way made of a setup.
 *
 * @param perSecond attempts that ended per second
 * @param failed attempts that failed, not for want of stock, while there was some
 * @param unsold units that are still in stock although someone was turned away
 * @param oversold orders beyond the stock
 * @param lost units that were deducted and for which there is no order
 * @param roundTrips messages per purchase
 * @param cpuMicros of the busiest Redis per attempt
 */
record Result(String way, String servers, Setup setup, double perSecond, double p50Ms,
        double p99Ms, long failed, long unsold, long oversold, long lost, double roundTrips,
        double cpuMicros) {

    /** The median of several runs by speed, with the worst damage of any. */
    static Result of(List<Result> runs) {
        Result median = runs.stream().sorted(Comparator.comparingDouble(Result::perSecond))
                .toList().get(runs.size() / 2);
        return new Result(median.way, median.servers, median.setup, median.perSecond,
                median.p50Ms, median.p99Ms, worst(runs, Result::failed),
                worst(runs, Result::unsold), worst(runs, Result::oversold),
                worst(runs, Result::lost), median.roundTrips, median.cpuMicros);
    }

    private static long worst(List<Result> runs, ToLongFunction<Result> damage) {
        return runs.stream().mapToLong(damage).max().orElse(0);
    }
}
