package dev.rush.bench.wire;

import java.nio.ByteBuffer;

/** What one connection says, and what it makes of the answers. All calls come on one thread. */
public interface Session {

    /**
     * The connection is open and the run has begun: time for the first message. Called again after
     * each reconnect.
     */
    void ready(Link link);

    /**
     * Something has come. Takes whole answers out of the buffer and leaves the rest of it there;
     * may send the next message, once, when nothing is left to come.
     */
    void received(Link link, ByteBuffer in);

    /**
     * The connection failed, could not be opened, or stayed silent for too long.
     *
     * @param sent whether a message was on its way, so that its effect is not known
     * @return whether to connect again
     */
    boolean lost(boolean sent, String reason);
}
