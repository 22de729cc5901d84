package dev.rush.bench.comparison;

import dev.rush.bench.comparison.Move.Outcome;
import dev.rush.bench.wire.Link;
import dev.rush.bench.wire.RedisProtocol;
import dev.rush.bench.wire.Session;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** One of the connections of a queue, whose messages carry many attempts each. */
final class BatchSession implements Session {
    private final BatchQueue queue;
    private Link link;
    private List<Pending> inFlight = List.of();

    private record Pending(int number, long begunNanos) {
    }

    private BatchSession(BatchQueue queue) {
        this.queue = queue;
    }

    /** Clients whose attempts are batched, as a pod batches requests. */
    static final class BatchQueue {
        private final Trial trial;
        private final RushWay way;
        private final int shard;
        private final int clients;
        private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
        private final List<BatchSession> ready = new ArrayList<>();
        private int sessions;

        BatchQueue(Trial trial, RushWay way, int shard, int clients) {
            this.trial = trial;
            this.way = way;
            this.shard = shard;
            this.clients = clients;
        }

        /** Creates a connection, which has at most one message in flight. */
        BatchSession addSession() {
            sessions++;
            return new BatchSession(this);
        }

        private void enqueue(int attempts) {
            for (int i = 0; i < attempts; i++) {
                int number = trial.next(shard);
                if (number >= 0) {
                    waiting.add(new Pending(number, System.nanoTime()));
                }
            }
        }

        private void flush() {
            for (BatchSession session : ready) {
                if (session.inFlight.isEmpty() && !waiting.isEmpty()) {
                    session.send();
                }
            }
            if (ready.stream().allMatch(session -> session.inFlight.isEmpty())) {
                ready.forEach(session -> session.link.end());
                ready.clear();
            }
        }
    }

    @Override
    public void ready(Link opened) {
        link = opened;
        queue.ready.add(this);
        if (queue.ready.size() == queue.sessions) {
            queue.enqueue(queue.clients);
            queue.flush();
        }
    }

    @Override
    public void received(Link from, ByteBuffer in) {
        Object reply = RedisProtocol.read(in);
        if (reply == RedisProtocol.INCOMPLETE) {
            return;
        }
        List<Outcome> outcomes = RushWay.outcomes(reply);
        long now = System.nanoTime();
        for (int i = 0; i < outcomes.size(); i++) {
            queue.trial.ended(outcomes.get(i), now - inFlight.get(i).begunNanos(),
                    1.0 / outcomes.size());
        }
        from.idle();
        inFlight = List.of();
        queue.enqueue(outcomes.size());
        queue.flush();
    }

    @Override
    public boolean lost(boolean sent, String reason) {
        throw new IllegalStateException("a connection to Redis failed: " + reason);
    }

    private void send() {
        List<Pending> batch = new ArrayList<>();
        List<String> users = new ArrayList<>();
        List<String> orders = new ArrayList<>();
        while (!queue.waiting.isEmpty() && batch.size() < queue.way.batch()) {
            Pending pending = queue.waiting.poll();
            batch.add(pending);
            users.add("user-" + pending.number());
            orders.add("order-" + pending.number());
        }
        inFlight = batch;
        link.send(queue.way.call(queue.shard, users, orders));
    }
}
