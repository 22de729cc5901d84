package dev.rush.bench.comparison;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The result of one way under one setup.
 *
 * @param perSecond attempts per second
 * @param failed attempts that failed by a conflict or the lock while units were in stock
 * @param unsold units in stock at the end although buyers were refused
 * @param oversold orders beyond the stock
 * @param lost units deducted without an order
 * @param roundTrips messages per purchase
 * @param cpuMicros CPU time of the busiest Redis per attempt, in microseconds
 */
record Result(String way, String servers, Setup setup, double perSecond, double p50Ms,
        double p99Ms, long failed, long unsold, long oversold, long lost, double roundTrips,
        double cpuMicros) {

    /** Returns the run of median speed, with the maximum damage of all runs. */
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
