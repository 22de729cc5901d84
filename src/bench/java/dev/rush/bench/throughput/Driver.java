package dev.rush.bench.throughput;

import dev.rush.bench.wire.HttpSession;
import dev.rush.bench.wire.Tally;
import dev.rush.bench.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** What sends the load: wrk where it is installed, else this project's own client. */
public interface Driver {

    /** Sends a load for so many seconds. */
    Load.Outcome drive(Load load, int connections, int seconds);

    /** The one of the system property {@code throughput.driver}, or the best one at hand. */
    static Driver chosen() {
        String named = System.getProperty("throughput.driver", "best");
        return switch (named) {
            case "best" -> Command.isInstalled("wrk") ? Driver::wrk : Driver::own;
            case "wrk" -> Driver::wrk;
            case "own" -> Driver::own;
            default -> throw new IllegalArgumentException(
                    "throughput.driver must be best, wrk or own, not " + named);
        };
    }

    private static Load.Outcome wrk(Load load, int connections, int seconds) {
        List<String> command = List.of("wrk", "-t", "1", "-c", "" + connections, "-d",
                seconds + "s", "-s", "bench/wrk.lua", load.url(), "--", load.kind(),
                load.prefix(), load.body(), Integer.toString(load.pauseMillis()));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(
                    process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            String result = output.lines().filter(line -> line.startsWith("RESULT "))
                    .findFirst().orElseThrow(() -> new IllegalStateException(output));
            String[] words = result.split(" ");
            return new Load.Outcome(Long.parseLong(words[1]), Double.parseDouble(words[2]) / 1e6,
                    Long.parseLong(words[3]), Long.parseLong(words[4]),
                    Double.parseDouble(words[5]) / 1e3, Double.parseDouble(words[6]) / 1e3);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Load.Outcome own(Load load, int connections, int seconds) {
        URI url = URI.create(load.url());
        Tally tally = new Tally(null);
        Wire wire = new Wire(Duration.ofSeconds(10));
        long[] until = new long[1];
        wire.onBegin(() -> until[0] = System.nanoTime() + seconds * 1_000_000_000L);
        Supplier<byte[]> requests = requests(load, url, until);
        for (int i = 0; i < connections; i++) {
            wire.add(new InetSocketAddress(url.getHost(), url.getPort()),
                    new HttpSession(requests, tally));
        }
        double took = wire.run().toNanos() / 1e9;
        long refused = tally.words().entrySet().stream()
                .filter(e -> !e.getKey().equals("accepted") && !e.getKey().startsWith("2"))
                .mapToLong(e -> e.getValue()).sum();
        return new Load.Outcome(tally.count() - tally.unanswered(), took, refused,
                tally.unanswered(), tally.latencyMs(50), tally.latencyMs(99));
    }

    private static Supplier<byte[]> requests(Load load, URI url, long[] until) {
        int[] count = new int[1];
        return () -> {
            if (System.nanoTime() - until[0] > 0) {
                return null;
            }
            String name = load.prefix() + ++count[0];
            List<String> lines = new ArrayList<>();
            String body = load.kind().equals("webdis") ? load.body().replace("%s", name)
                    .replace("%o", String.format(
                            Locale.ROOT, "01a1f8ab-41ae-7786-ad79-%012d", count[0]))
                    : load.body();
            lines.add((load.kind().equals("get") ? "GET " : "POST ") + url.getRawPath()
                    + " HTTP/1.1\r\nHost: " + url.getAuthority());
            if (load.kind().equals("key")) {
                lines.add("Idempotency-Key: " + name);
            }
            if (!load.kind().equals("get")) {
                lines.add("X-User-Id: " + name + "\r\nContent-Type: application/json"
                        + "\r\nContent-Length: " + body.length());
            }
            return (String.join("\r\n", lines) + "\r\n\r\n" + body)
                    .getBytes(StandardCharsets.US_ASCII);
        };
    }
}
