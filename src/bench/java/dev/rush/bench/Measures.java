package dev.rush.bench;

import dev.rush.testing.Resp;
import java.util.Collection;

/** What several benches measure alike. */
public final class Measures {

    private Measures() {
    }

    /** The one in the middle; of an even number, the upper one. */
    public static double median(Collection<Double> figures) {
        return figures.stream().sorted().toList().get(figures.size() / 2);
    }

    /** Seconds of processor time that a Redis has used so far. */
    public static double cpuSeconds(Resp redis) {
        return redis.text("INFO", "cpu").lines()
                .filter(line -> line.matches("used_cpu_(sys|user):.*"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
                .sum();
    }
}
