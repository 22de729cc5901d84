package dev.rush.bench.wire;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One connection of a {@link Wire}, used by its session. */
public final class Link {
    private static final int BUFFER_BYTES = 8_192;

    private final Wire wire;
    private final InetSocketAddress address;
    private final Session session;
    private ByteBuffer in = ByteBuffer.allocate(BUFFER_BYTES);
    private ByteBuffer out;
    private SocketChannel channel;
    private SelectionKey key;
    private boolean connecting;
    private boolean waiting;
    private long sinceNanos;

    Link(Wire wire, InetSocketAddress address, Session session) {
        this.wire = wire;
        this.address = address;
        this.session = session;
    }

    /** Sends a message; the answer limit counts from now until {@link #idle} or the next one. */
    public void send(byte[] message) {
        waiting = true;
        sinceNanos = System.nanoTime();
        out = ByteBuffer.wrap(message);
        try {
            write();
        } catch (IOException e) {
            fail(e.getMessage());
        }
    }

    /** Marks the connection as idle, so that no answer limit applies; it stays open. */
    public void idle() {
        waiting = false;
    }

    /** Runs an action after a delay, on the same thread. */
    public void later(long nanos, Runnable action) {
        wire.later(nanos, action);
    }

    /** Closes the connection as a dying client would, without notifying the session. */
    public void abort() {
        close();
    }

    /** Connects again after {@link #abort}, and calls {@link Session#ready} then. */
    public void reconnect() {
        wire.connect(this);
    }

    /** Ends the session and closes the connection. */
    public void end() {
        close();
        wire.ended(this);
    }

    Session session() {
        return session;
    }

    boolean isOverdue(long now, long limitNanos) {
        return waiting && now - sinceNanos > limitNanos;
    }

    void connect(Selector selector) throws IOException {
        in.clear();
        out = null;
        waiting = false;
        connecting = true;
        channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        key = channel.register(selector, SelectionKey.OP_CONNECT, this);
        if (channel.connect(address)) {
            opened();
        }
    }

    /** Handles the operations for which the selector found the channel ready. */
    void handleSelected() {
        SelectionKey selected = key;
        if (!selected.isValid()) {
            return;
        }
        try {
            if (selected.isConnectable()) {
                channel.finishConnect();
                opened();
                return;
            }
            if (selected.isWritable()) {
                write();
            }
            if (selected.isValid() && selected.isReadable()) {
                read();
            }
        } catch (IOException e) {
            // If the session has aborted the connection, the key was replaced or cancelled.
            if (key == selected && selected.isValid()) {
                fail(e.getMessage());
            }
        }
    }

    void fail(String reason) {
        boolean sent = waiting;
        close();
        if (session.lost(sent, String.valueOf(reason))) {
            wire.connect(this);
        } else {
            wire.ended(this);
        }
    }

    private void opened() {
        key.interestOps(SelectionKey.OP_READ);
        connectEnded();
        wire.opened(this);
    }

    private void connectEnded() {
        if (connecting) {
            connecting = false;
            wire.connectEnded();
        }
    }

    private void write() throws IOException {
        channel.write(out);
        int wanted = out.hasRemaining()
                ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
        if (key.interestOps() != wanted) {
            key.interestOps(wanted);
        }
    }

    private void read() throws IOException {
        if (channel.read(in) < 0) {
            throw new EOFException("closed by the other side");
        }
        ByteBuffer filled = in;
        filled.flip();
        session.received(this, filled);
        filled.compact();
        if (!filled.hasRemaining()) {
            filled.flip();
            in = ByteBuffer.allocate(2 * filled.capacity()).put(filled);
        }
    }

    private void close() {
        waiting = false;
        connectEnded();
        if (channel == null) {
            return;
        }
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing more is expected from this channel.
        }
    }
}
