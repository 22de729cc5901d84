package dev.rush.nemesis.client;

import java.util.ArrayList;
import java.util.List;

/** All clients of a run at work, until it is closed. */
public final class Workload implements AutoCloseable {
    private static final long END_MS = 120_000;

    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;
    private volatile Throwable failure;

    /** Lets an operator and so many clients begin. */
    public Workload(Calls calls, Market market, long seed, int clients) {
        Cadence cadence = () -> !stopped && !calls.history().full();
        begin("operator", new Operator(calls, market, Calls.random(seed, -1), cadence));
        for (int i = 0; i < clients; i++) {
            begin("client-" + i, new Client(calls, market, Calls.random(seed, i), cadence));
        }
    }

    private void begin(String name, Runnable client) {
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

    /** Stops all clients; each ends its call first. */
    @Override
    public void close() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join(END_MS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " does not end");
            }
        }
        if (failure != null) {
            throw new AssertionError("a client has failed", failure);
        }
    }
}
