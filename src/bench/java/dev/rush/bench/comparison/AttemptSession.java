package dev.rush.bench.comparison;

import dev.rush.bench.comparison.Move.Outcome;
import dev.rush.bench.wire.Link;
import dev.rush.bench.wire.RedisProtocol;
import dev.rush.bench.wire.Session;
import java.nio.ByteBuffer;

/** A client that makes one attempt at a time over its own connection. */
final class AttemptSession implements Session {
    private final Trial trial;
    private final Way way;
    private final int shard;
    private Trial.Fault fault;
    private Move.Send sent;
    private int awaited;
    private int messages;
    private long begunNanos;

    AttemptSession(Trial trial, Way way, int shard) {
        this.trial = trial;
        this.way = way;
        this.shard = shard;
    }

    @Override
    public void ready(Link link) {
        int number = trial.next(shard);
        if (number < 0) {
            link.end();
            return;
        }
        begunNanos = System.nanoTime();
        messages = 0;
        fault = trial.fault();
        perform(link, way.attempt(shard, "user-" + number, "order-" + number));
    }

    @Override
    public void received(Link link, ByteBuffer in) {
        while (awaited > 0) {
            Object reply = RedisProtocol.read(in);
            if (reply == RedisProtocol.INCOMPLETE) {
                return;
            }
            awaited--;
            if (awaited == 0) {
                perform(link, sent.then().apply(reply));
            }
        }
    }

    @Override
    public boolean lost(boolean wasSent, String reason) {
        throw new IllegalStateException("a connection to Redis failed: " + reason);
    }

    private void perform(Link link, Move move) {
        if (move instanceof Move.Send send) {
            messages++;
            if (messages == fault.message() && !fault.dies()) {
                link.idle();
                link.later(Trial.Fault.STALL_NANOS, () -> send(link, send));
            } else {
                send(link, send);
            }
        } else if (move instanceof Move.Wait wait) {
            link.idle();
            link.later(wait.nanos(), () -> perform(link, wait.then().get()));
        } else if (move instanceof Move.Done done) {
            trial.ended(done.outcome(), System.nanoTime() - begunNanos, messages);
            ready(link);
        }
    }

    private void send(Link link, Move.Send send) {
        sent = send;
        awaited = send.replies();
        link.send(send.message());
        if (messages == fault.message() && fault.dies()) {
            awaited = 0;
            link.abort();
            trial.ended(Outcome.DIED, System.nanoTime() - begunNanos, messages);
            link.reconnect();
        }
    }
}
