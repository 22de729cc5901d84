package dev.rush.bench.throughput;

import dev.rush.bench.Measures;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One run of a case, or the median of several.
 *
 * @param serviceMicros CPU time of the service per request
 * @param redisMicros CPU time of Redis per request
 * @param fault what was wrong with the answers; null: nothing
 */
record Measured(double perSecond, double p50Ms, double p99Ms, double serviceMicros,
        double redisMicros, String fault) {

    /** Returns the median of each figure, and the first fault of any run. */
    static Measured median(List<Measured> runs) {
        return new Measured(median(runs, Measured::perSecond), median(runs, Measured::p50Ms),
                median(runs, Measured::p99Ms), median(runs, Measured::serviceMicros),
                median(runs, Measured::redisMicros),
                runs.stream().map(Measured::fault).filter(fault -> fault != null).findFirst()
                        .orElse(null));
    }

    private static double median(
            List<Measured> runs, ToDoubleFunction<Measured> figure) {
        return Measures.median(runs.stream().map(figure::applyAsDouble).toList());
    }
}
