package dev.rush.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Many clients that open a stream of events and say nothing more, on one thread. Each counts the
 * events that it has seen, and whether the server has ended its stream.
 */
public final class SilentViewers implements AutoCloseable {
    private static final byte[] EVENT = "\ndata: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] HEARTBEAT = {':', '\n', '\n'};
    private static final byte[] END = "\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** Streams that may be asked for before the server has begun to answer them. */
    private static final int UNANSWERED_MAX = 256;
    private static final Duration KEEPING_UP = Duration.ofSeconds(60);

    private final Selector selector;
    private final List<SocketChannel> channels = new ArrayList<>();
    private final AtomicIntegerArray events;
    private final AtomicIntegerArray heartbeats;
    private final AtomicIntegerArray ended;
    /** How much of each of these texts the last bytes of a stream were. */
    private final int[] ofEvent;
    private final int[] ofHeartbeat;
    private final int[] ofEnd;
    private final boolean[] heard;
    private final AtomicInteger answered = new AtomicInteger();
    private final Thread reader = new Thread(this::read, "silent-viewers");
    private volatile boolean closed;

    private SilentViewers(int count) throws IOException {
        selector = Selector.open();
        events = new AtomicIntegerArray(count);
        heartbeats = new AtomicIntegerArray(count);
        ended = new AtomicIntegerArray(count);
        ofEvent = new int[count];
        ofHeartbeat = new int[count];
        ofEnd = new int[count];
        heard = new boolean[count];
    }

    /** Opens so many streams at a path, one after the other, and returns once all are asked for. */
    public static SilentViewers open(URI server, String path, int count) {
        try {
            SilentViewers viewers = new SilentViewers(count);
            byte[] request = ("GET " + path + " HTTP/1.1\r\nHost: rush.example\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
            InetSocketAddress address = new InetSocketAddress(server.getHost(), server.getPort());
            viewers.reader.setDaemon(true);
            viewers.reader.start();
            for (int i = 0; i < count; i++) {
                SocketChannel channel = SocketChannel.open(address);
                channel.write(ByteBuffer.wrap(request));
                channel.configureBlocking(false);
                channel.register(viewers.selector, SelectionKey.OP_READ, i);
                viewers.channels.add(channel);
                viewers.selector.wakeup();
                int due = i + 1 - UNANSWERED_MAX;
                if (due % UNANSWERED_MAX == 0) {
                    // A server that is busy loses connections that it has not accepted in time.
                    Await.until("the server keeps up", KEEPING_UP,
                            () -> viewers.answered.get() >= due);
                }
            }
            return viewers;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns how many have seen at least so many events. */
    public int withEvents(int min) {
        return count(events, min);
    }

    /** Returns how many have heard at least so many heartbeats. */
    public int withHeartbeats(int min) {
        return count(heartbeats, min);
    }

    /** Returns how many streams the server has ended in good form. */
    public int ended() {
        return count(ended, 1);
    }

    private static int count(AtomicIntegerArray numbers, int min) {
        int count = 0;
        for (int i = 0; i < numbers.length(); i++) {
            count += numbers.get(i) >= min ? 1 : 0;
        }
        return count;
    }

    private void read() {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        try {
            while (!closed) {
                selector.select(key -> read(key, buffer));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(SelectionKey key, ByteBuffer buffer) {
        int viewer = (Integer) key.attachment();
        try {
            buffer.clear();
            if (((SocketChannel) key.channel()).read(buffer) < 0) {
                key.cancel();
                return;
            }
        } catch (IOException e) {
            key.cancel();
            return;
        }
        if (!heard[viewer]) {
            heard[viewer] = true;
            answered.incrementAndGet();
        }
        for (int i = 0; i < buffer.position(); i++) {
            byte read = buffer.get(i);
            ofEvent[viewer] = next(EVENT, ofEvent[viewer], read);
            ofHeartbeat[viewer] = next(HEARTBEAT, ofHeartbeat[viewer], read);
            ofEnd[viewer] = next(END, ofEnd[viewer], read);
            if (ofEvent[viewer] == EVENT.length) {
                events.incrementAndGet(viewer);
                ofEvent[viewer] = 0;
            }
            if (ofHeartbeat[viewer] == HEARTBEAT.length) {
                heartbeats.incrementAndGet(viewer);
                ofHeartbeat[viewer] = 0;
            }
            if (ofEnd[viewer] == END.length) {
                ended.set(viewer, 1);
                ofEnd[viewer] = 0;
            }
        }
    }

    /** How much of a text the last bytes are; the texts here begin with a byte of their own. */
    private static int next(byte[] text, int matched, byte read) {
        return text[matched] == read ? matched + 1 : text[0] == read ? 1 : 0;
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        for (SocketChannel channel : channels) {
            try {
                channel.close();
            } catch (IOException e) {
                // It is gone either way.
            }
        }
    }
}
