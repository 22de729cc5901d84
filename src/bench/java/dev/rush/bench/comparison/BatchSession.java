package dev.rush.bench.comparison;

import dev.rush.bench.comparison.Move.Outcome;
import dev.rush.bench.wire.Link;
import dev.rush.bench.wire.RedisProtocol;
import dev.rush.bench.wire.Session;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** One of the connections over which a lane's attempts travel, many in a message. */
final class BatchSession implements Session {
    private final Lane lane;
    private Link link;
    private List<Pending> underWay = List.of();

    private record Pending(int number, long begunNanos) {
    }

    private BatchSession(Lane lane) {
        this.lane = lane;
    }

    /** Clients whose attempts share messages, as the requests of one pod do. */
    static final class Lane {
        private final Trial trial;
        private final RushWay way;
        private final int shard;
        private final int clients;
        private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
        private final List<BatchSession> ready = new ArrayList<>();
        private int sessions;

        Lane(Trial trial, RushWay way, int shard, int clients) {
            this.trial = trial;
            this.way = way;
            this.shard = shard;
            this.clients = clients;
        }

        /** One connection more; each has one message under way at most. */
        BatchSession session() {
            sessions++;
            return new BatchSession(this);
        }

        private void await(int attempts) {
            for (int i = 0; i < attempts; i++) {
                int number = trial.next(shard);
                if (number >= 0) {
                    waiting.add(new Pending(number, System.nanoTime()));
                }
            }
        }

        private void flush() {
            for (BatchSession session : ready) {
                if (session.underWay.isEmpty() && !waiting.isEmpty()) {
                    session.send();
                }
            }
            if (ready.stream().allMatch(session -> session.underWay.isEmpty())) {
                ready.forEach(session -> session.link.end());
                ready.clear();
            }
        }
    }

    @Override
    public void ready(Link opened) {
        link = opened;
        lane.ready.add(this);
        if (lane.ready.size() == lane.sessions) {
            lane.await(lane.clients);
            lane.flush();
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
            lane.trial.ended(outcomes.get(i), now - underWay.get(i).begunNanos(),
                    1.0 / outcomes.size());
        }
        from.quiet();
        underWay = List.of();
        lane.await(outcomes.size());
        lane.flush();
    }

    @Override
    public boolean lost(boolean sent, String reason) {
        throw new IllegalStateException("a connection to Redis failed: " + reason);
    }

    private void send() {
        List<Pending> batch = new ArrayList<>();
        List<String> users = new ArrayList<>();
        List<String> orders = new ArrayList<>();
        while (!lane.waiting.isEmpty() && batch.size() < lane.way.batch()) {
            Pending pending = lane.waiting.poll();
            batch.add(pending);
            users.add("user-" + pending.number());
            orders.add("order-" + pending.number());
        }
        underWay = batch;
        link.send(lane.way.call(lane.shard, users, orders));
    }
}
