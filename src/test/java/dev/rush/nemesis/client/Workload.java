package dev.rush.nemesis.client;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The operator and the clients of a run, which call until this is closed. */
public final class Workload implements AutoCloseable {
    private static final long STOP_LIMIT_MS = 120_000;

    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;
    private volatile Throwable failure;

    /** Starts an operator and a number of clients. */
    public Workload(Calls calls, Market market, long seed, int clients) {
        BooleanSupplier running = () -> !stopped && !calls.history().full();
        start("operator", new Operator(calls, market, Calls.random(seed, -1), running));
        for (int i = 0; i < clients; i++) {
            start("client-" + i, new Client(calls, market, Calls.random(seed, i), running));
        }
    }

    private void start(String name, Runnable client) {
        Thread thread = new Thread(() -> {
            try {
                client.run();
            } catch (RuntimeException | Error e) {
                failure = e;
            }
        }, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /**
     * Stops all clients, after their current call.
     *
     * @throws AssertionError if a client has failed, or does not stop
     */
    @Override
    public void close() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join(STOP_LIMIT_MS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " does not stop");
            }
        }
        if (failure != null) {
            throw new AssertionError("a client has failed", failure);
        }
    }
}
