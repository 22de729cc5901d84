package dev.rush.bench.throughput;

import java.util.List;

/** Sends load with wrk, which must be installed (Debian: apt install wrk). */
public final class Driver {

    private Driver() {
    }

    /** Sends a load for a number of seconds. */
    public static Load.Outcome drive(Load load, int connections, int seconds) {
        String output = Command.run(List.of("wrk", "-t", "1", "-c", "" + connections, "-d",
                seconds + "s", "-s", "bench/wrk.lua", load.url(), "--", load.kind(),
                load.prefix(), load.body(), Integer.toString(load.pauseMillis())));
        String[] words = output.lines().filter(line -> line.startsWith("RESULT "))
                .findFirst().orElseThrow(() -> new IllegalStateException(output)).split(" ");
        return new Load.Outcome(Long.parseLong(words[1]), Double.parseDouble(words[2]) / 1e6,
                Long.parseLong(words[3]), Long.parseLong(words[4]),
                Double.parseDouble(words[5]) / 1e3, Double.parseDouble(words[6]) / 1e3);
    }
}
