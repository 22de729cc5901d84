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
 * Many clients on one thread that open a stream of events and send nothing more. Counts the events
 * and heartbeats of each, and notes whether the server has ended its stream.
 */
public final class SilentViewers implements AutoCloseable {
    private static final byte[] EVENT = "\ndata: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] HEARTBEAT = {':', '\n', '\n'};
    private static final byte[] END = "\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** Maximum streams that are requested before the server has begun to answer them. */
    private static final int UNANSWERED_MAX = 256;
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);

    private final Selector selector;
    private final List<SocketChannel> channels = new ArrayList<>();
    private final AtomicIntegerArray events;
    private final AtomicIntegerArray heartbeats;
    private final AtomicIntegerArray ended;
    /** How many bytes of each text the last bytes of a stream match. */
    private final int[] eventMatched;
    private final int[] heartbeatMatched;
    private final int[] endMatched;
    private final boolean[] heard;
    private final AtomicInteger answered = new AtomicInteger();
    private final Thread reader = new Thread(this::read, "silent-viewers");
    private volatile boolean closed;

    private SilentViewers(int count) throws IOException {
        selector = Selector.open();
        events = new AtomicIntegerArray(count);
        heartbeats = new AtomicIntegerArray(count);
        ended = new AtomicIntegerArray(count);
        eventMatched = new int[count];
        heartbeatMatched = new int[count];
        endMatched = new int[count];
        heard = new boolean[count];
    }

    /** Opens streams at a path, one after the other, and returns once all are requested. */
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
                    // A busy server loses connections that it does not accept in time.
                    Await.until("the server keeps up", ANSWER_LIMIT,
                            () -> viewers.answered.get() >= due);
                }
            }
            return viewers;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the number of viewers with at least this many events. */
    public int withEvents(int min) {
        return count(events, min);
    }

    /** Returns the number of viewers with at least this many heartbeats. */
    public int withHeartbeats(int min) {
        return count(heartbeats, min);
    }

    /** Returns the number of streams that the server has ended cleanly. */
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
            eventMatched[viewer] = next(EVENT, eventMatched[viewer], read);
            heartbeatMatched[viewer] = next(HEARTBEAT, heartbeatMatched[viewer], read);
            endMatched[viewer] = next(END, endMatched[viewer], read);
            if (eventMatched[viewer] == EVENT.length) {
                events.incrementAndGet(viewer);
                eventMatched[viewer] = 0;
            }
            if (heartbeatMatched[viewer] == HEARTBEAT.length) {
                heartbeats.incrementAndGet(viewer);
                heartbeatMatched[viewer] = 0;
            }
            if (endMatched[viewer] == END.length) {
                ended.set(viewer, 1);
                endMatched[viewer] = 0;
            }
        }
    }

    /** How many bytes of a text the last bytes match; after a mismatch, at most the first byte. */
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
