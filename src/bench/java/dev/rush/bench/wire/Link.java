package dev.rush.bench.wire;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One connection of a {@link Wire}, as its session uses it. */
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

    /** Sends a message; the answer limit counts from now until {@link #quiet} or the next one. */
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

    /** Nothing is under way on this connection; it stays open. */
    public void quiet() {
        waiting = false;
    }

    /** Runs something later, on the same thread. */
    public void later(long nanos, Runnable action) {
        wire.later(nanos, action);
    }

    /** Breaks the connection as a dying client would, without a word to the session. */
    public void breakOff() {
        close();
    }

    /** Connects again after {@link #breakOff}; the session is told when it is ready. */
    public void reconnect() {
        wire.connect(this);
    }

    /** The session has no more to say; the connection is closed. */
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

    /** Goes on where the selector says that it is possible. */
    void go() {
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
            // A session that broke the connection off itself has replaced or cancelled the key.
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
        settled();
        wire.opened(this);
    }

    private void settled() {
        if (connecting) {
            connecting = false;
            wire.settled();
        }
    }

    private void write() throws IOException {
        channel.write(out);
        boolean rest = out.hasRemaining();
        int wanted = rest ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
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
        settled();
        if (channel == null) {
            return;
        }
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing is wanted from it any more.
        }
    }
}
