package dev.rush.bench.rush;

import dev.rush.bench.Progress;
import dev.rush.bench.wire.HttpSession;
import dev.rush.bench.wire.Tally;
import dev.rush.bench.wire.Wire;
import dev.rush.testing.Await;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Runs a rush: prepares a new sale or rain, sends one request per buyer over HTTP/1.1 keep-alive
 * connections, and reads the books afterwards.
 */
public final class Rush {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(15);
    private static final int CLIENTS_PER_THREAD = 1_000;

    private final RushPlan plan;
    private final Progress progress;
    private final AtomicInteger started = new AtomicInteger();
    private final byte[] head;
    private final byte[] tail;

    private Rush(RushPlan plan, Progress progress) {
        this.plan = plan;
        this.progress = progress;
        String body = plan.kind() == RushPlan.Kind.PURCHASE
                ? "{\"items\":[{\"sku\":\"unit\",\"quantity\":1}]}" : "{}";
        String call = plan.kind() == RushPlan.Kind.PURCHASE ? "/purchases" : "/grabs";
        head = ascii("POST " + plan.path() + call + " HTTP/1.1\r\nHost: "
                + plan.host() + "\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length() + "\r\nX-User-Id: buyer-");
        tail = ascii("\r\n\r\n" + body);
    }

    /** Runs a rush and returns its report. */
    public static RushReport run(RushPlan plan, Progress progress) {
        Operator operator = new Operator(plan.url(), plan.host());
        operator.prepare(plan.path(), definition(plan));
        Rush rush = new Rush(plan, progress);
        int threads = Math.max(1, Math.min(Runtime.getRuntime().availableProcessors() / 2,
                plan.clients() / CLIENTS_PER_THREAD + 1));
        List<Tally> tallies = new ArrayList<>();
        Duration elapsed = rush.drive(threads, tallies);
        Tally all = new Tally(null);
        tallies.forEach(all::add);
        progress.clear();
        return new RushReport(plan, all, elapsed, Books.read(operator, plan, all));
    }

    private static String definition(RushPlan plan) {
        return plan.kind() == RushPlan.Kind.PURCHASE
                ? "{\"title\":\"A rush\",\"items\":[{\"sku\":\"unit\",\"total\":" + plan.units()
                        + ",\"limitPerUser\":1}]}"
                : "{\"title\":\"A rush\",\"limitPerUser\":1,\"envelopes\":{\"total\":"
                        + 100L * plan.units() + ",\"count\":" + plan.units()
                        + ",\"split\":\"double-mean\",\"min\":1}}";
    }

    private Duration drive(int threads, List<Tally> tallies) {
        CyclicBarrier begin = new CyclicBarrier(threads);
        List<CompletableFuture<Duration>> crowds = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            Tally tally = new Tally(plan.kind() == RushPlan.Kind.GRAB ? "amount" : null);
            tallies.add(tally);
            Wire wire = new Wire(ANSWER_LIMIT);
            int clients = plan.clients() / threads + (thread < plan.clients() % threads ? 1 : 0);
            for (int i = 0; i < clients; i++) {
                wire.add(new InetSocketAddress(plan.url().getHost(), port()),
                        new HttpSession(requests(), tally, pause()));
            }
            wire.onBegin(() -> await(begin));
            CompletableFuture<Duration> crowd = new CompletableFuture<>();
            crowds.add(crowd);
            Thread runner = new Thread(() -> finish(crowd, wire), "crowd-" + thread);
            runner.setDaemon(true);
            runner.start();
        }
        CompletableFuture<?> all =
                CompletableFuture.allOf(crowds.toArray(CompletableFuture[]::new));
        while (!all.isDone()) {
            progress.show(tallies.stream().mapToLong(Tally::count).sum(), plan.buyers(), "buyers");
            Await.sleep(100);
        }
        return crowds.stream().map(CompletableFuture::join).max(Duration::compareTo).orElseThrow();
    }

    private Supplier<byte[]> requests() {
        return () -> {
            int buyer = started.getAndIncrement();
            if (buyer >= plan.buyers()) {
                return null;
            }
            byte[] name = ascii(plan.keys()
                    ? buyer + "\r\nIdempotency-Key: " + plan.id() + "-" + buyer : "" + buyer);
            byte[] request = new byte[head.length + name.length + tail.length];
            System.arraycopy(head, 0, request, 0, head.length);
            System.arraycopy(name, 0, request, head.length, name.length);
            System.arraycopy(tail, 0, request, head.length + name.length, tail.length);
            return request;
        };
    }

    /** Returns the interval between two requests of a client at which all clients keep the pace. */
    private Duration pause() {
        return plan.pace() == 0 ? Duration.ZERO
                : Duration.ofNanos(1_000_000_000L * plan.clients() / plan.pace());
    }

    private int port() {
        return plan.url().getPort() < 0 ? 80 : plan.url().getPort();
    }

    private static void finish(CompletableFuture<Duration> crowd, Wire wire) {
        try {
            crowd.complete(wire.run());
        } catch (RuntimeException | Error e) {
            crowd.completeExceptionally(e);
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
