package dev.rush.bench.wire;

import java.nio.ByteBuffer;

/** The client of one connection. All calls are made on one thread. */
public interface Session {

    /**
     * Sends the first message: the connection is open and the run has begun. Called again after
     * each reconnect.
     */
    void ready(Link link);

    /**
     * Consumes whole answers from the buffer and leaves the remainder. May send one further message
     * once all answers have arrived.
     */
    void received(Link link, ByteBuffer in);

    /**
     * Called when the connection failed, could not be opened, or exceeded the answer limit.
     *
     * @param sent whether a message was in flight, so that its effect is unknown
     * @return whether to connect again
     */
    boolean lost(boolean sent, String reason);
}
