package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** X5: a client that does not read loses its connection; one that reads slowly keeps it. */
class PipelineBoundTest {
    private static final int PAGE = 110_000;
    private static final int PAGES_PER_MINUTE = 10;
    private final MemoryBudget queued = new MemoryBudget(1_500);
    private final MemoryBudget unread = new MemoryBudget(20 * PAGE);
    private final Connection connection = new Connection(new PipelineBound(16, queued, unread));

    /** A connection whose client reads only what the test lets it read. */
    private static final class Connection extends EmbeddedChannel {
        private long readable;

        Connection(ChannelHandler handler) {
            super(handler);
        }

        @Override
        protected void doWrite(ChannelOutboundBuffer unwritten) {
            while (readable > 0 && unwritten.current() instanceof ByteBuf current) {
                long now = Math.min(readable, current.readableBytes());
                readable -= now;
                unwritten.removeBytes(now);
            }
        }

        void read(long bytes) {
            readable = bytes;
            flush();
            readable = 0;
        }
    }

    @BeforeEach
    void freezeTime() {
        connection.freezeTime();
    }

    @AfterEach
    void close() {
        connection.close();
    }

    private void send() {
        connection.writeOneOutbound(Unpooled.wrappedBuffer(new byte[PAGE]));
        connection.flush();
    }

    private void passSecond() {
        connection.advanceTimeBy(1, TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
    }

    @Test
    @DisplayName("A slow reader keeps its connection even if every page has the same size")
    void slowReaderKeepsItsConnection() {
        send();
        for (int second = 0; second < 120; second++) {
            connection.read(PAGE * PAGES_PER_MINUTE / 60);
            if (connection.isWritable()) {
                send();
            }
            passSecond();
            assertThat(connection.isOpen()).as("after %d s", second).isTrue();
        }
    }

    @Test
    @DisplayName("Answers that are not flushed yet do not count as unread")
    void burstIsFlushed() {
        request();
        connection.writeOneOutbound(Unpooled.wrappedBuffer(new byte[4 * PAGE]));
        connection.readable = Long.MAX_VALUE;
        request();
        assertThat(connection.isOpen()).isTrue();
        connection.readable = 0;
        connection.writeOneOutbound(Unpooled.wrappedBuffer(new byte[4 * PAGE]));
        request();
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    @DisplayName("No request may follow one whose answer is a stream of events")
    void nothingFollowsAStream() {
        request();
        stream(connection);
        assertThat(connection.isOpen()).isTrue();
        request();
        assertThat(connection.isOpen()).isFalse();
        Connection other = new Connection(new PipelineBound(16, queued, unread));
        request(other);
        request(other);
        stream(other);
        assertThat(other.isOpen()).isFalse();
    }

    private static void stream(Connection connection) {
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        head.headers().set("Content-Type", "text/event-stream");
        connection.writeOneOutbound(head);
    }

    @Test
    @DisplayName("The heads of queued requests have a budget for all connections")
    void queuedHeadsAreBounded() {
        Connection other = new Connection(new PipelineBound(16, queued, unread));
        request();
        request();
        request(other);
        request(other);
        request(other);
        assertThat(other.isOpen()).isTrue();
        answer(other);
        answer(other);
        request();
        request();
        assertThat(connection.isOpen()).isTrue();
        request(other);
        assertThat(other.isOpen()).isFalse();
        assertThat(queued.add(0)).as("its bytes are given back").isTrue();
    }

    private static void answer(Connection connection) {
        connection.writeOneOutbound(new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    }

    @Test
    @DisplayName("Unread answers have a budget for all connections")
    void unreadAnswersAreBounded() {
        List<Connection> all = Stream.generate(() -> new Connection(
                new PipelineBound(16, queued, unread))).limit(30).toList();
        all.forEach(each -> {
            each.writeOneOutbound(Unpooled.wrappedBuffer(new byte[PAGE]));
            each.flush();
        });
        assertThat(all.stream().filter(Connection::isOpen).count()).isBetween(18L, 20L);
        all.forEach(each -> each.read(PAGE));
        connection.writeOneOutbound(Unpooled.wrappedBuffer(new byte[PAGE]));
        assertThat(connection.isOpen()).isTrue();
    }

    private void request() {
        request(connection);
    }

    private static void request(Connection connection) {
        connection.writeInbound(new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/"));
    }

    @Test
    @DisplayName("A client that reads one buffer slowly keeps its connection")
    void longBufferIsProgress() {
        connection.writeOneOutbound(Unpooled.wrappedBuffer(new byte[10 * PAGE]));
        for (int second = 0; second < 120; second++) {
            connection.read(100);
            passSecond();
        }
        assertThat(connection.isOpen()).isTrue();
    }

    @Test
    @DisplayName("A client that reads nothing loses its connection after ten seconds")
    void idleReaderLosesItsConnection() {
        send();
        for (int second = 0; second < 10; second++) {
            assertThat(connection.isOpen()).as("after %d s", second).isTrue();
            passSecond();
        }
        for (int second = 0; second < 5; second++) {
            // What the pod adds is no progress of the client.
            connection.writeOneOutbound(Unpooled.wrappedBuffer(new byte[1]));
            connection.flush();
            passSecond();
        }
        assertThat(connection.isOpen()).isFalse();
    }
}
