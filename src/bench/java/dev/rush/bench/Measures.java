package dev.rush.bench;

import dev.rush.testing.Resp;
import java.util.Collection;

/** Statistics and measurements that several benches share. */
public final class Measures {

    private Measures() {
    }

    /** Returns the median; for an even number of figures, the upper of the two in the middle. */
    public static double median(Collection<Double> figures) {
        return figures.stream().sorted().toList().get(figures.size() / 2);
    }

    /** Returns the seconds of CPU time that a Redis has used so far. */
    public static double cpuSeconds(Resp redis) {
        return redis.text("INFO", "cpu").lines()
                .filter(line -> line.matches("used_cpu_(sys|user):.*"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
                .sum();
    }
}
