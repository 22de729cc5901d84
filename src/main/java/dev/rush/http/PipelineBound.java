package dev.rush.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection that pipelines too many requests, or that does not read its answers, because
 * both are kept in memory. The bytes of both are limited for all connections together, too, and no
 * request may follow one whose answer is a stream of events.
 *
 * <p>It also completes a queued request that is truncated or malformed. Vert.x has no response for
 * such a request yet, fails on that, and then never notifies the requests before it that their
 * client has disconnected.
 */
final class PipelineBound extends ChannelDuplexHandler {

    /** Maximum bytes of unread answers with which a connection may send another request. */
    private static final int UNREAD_BYTES_MAX = 256 * 1024;
    private static final int FINAL_STATUS_MIN = 200;
    private static final long CHECK_SECONDS = 2;
    /** Checks without progress, so 10 s, after which a connection is closed. */
    private static final int IDLE_CHECKS_MAX = 5;
    /** The target of a truncated request, so that its beginning is never executed. */
    private static final String CUT_OFF = "/cut-off";

    private static final AsciiString STREAM = AsciiString.cached("text/event-stream");
    /** Memory of a queued request, and of each of its fields, beyond its text. */
    private static final int HEAD_BYTES = 400;
    private static final int FIELD_BYTES = 140;

    private final int waitingMax;
    private final MemoryBudget queuedBudget;
    private final MemoryBudget unreadBudget;
    /** The bytes of each request behind the one that is being answered. */
    private final Deque<Integer> queued = new ArrayDeque<>(0);
    private long unread;
    /** Whether the answer being written is a stream of events, which nothing can follow. */
    private boolean streaming;
    private int waiting;
    /** Whether the answer being written is an interim one, which the final one follows. */
    private boolean interim;
    private boolean watched;
    /** The request that is not complete; null between requests. */
    private @Nullable HttpRequest incomplete;
    /** Whether the last input was malformed, while requests before it wait for their answers. */
    private boolean broken;

    /**
     * A new connection's bound.
     *
     * @param waitingMax   maximum number of requests that wait for their answers
     * @param queuedBudget of all connections, for the heads of requests that wait for others
     * @param unreadBudget of all connections, for answers that clients do not read
     */
    PipelineBound(int waitingMax, MemoryBudget queuedBudget, MemoryBudget unreadBudget) {
        this.waitingMax = waitingMax;
        this.queuedBudget = queuedBudget;
        this.unreadBudget = unreadBudget;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        if (message instanceof HttpRequest request && !broken && (++waiting > waitingMax
                || streaming || !queue(request) || hasTooMuchUnread(context))) {
            context.close();
        }
        if (broken || waiting > 1 && isMalformed(message)) {
            ReferenceCountUtil.release(message);
            breakOff(context);
            return;
        }
        if (message instanceof HttpRequest request) {
            incomplete = request;
        }
        if (message instanceof LastHttpContent) {
            incomplete = null;
        }
        super.channelRead(context, message);
    }

    /** Accounts for a request that waits for others; false if the pod's budget is exceeded. */
    private boolean queue(HttpRequest request) {
        if (waiting == 1) {
            return true;
        }
        int bytes = HEAD_BYTES + request.uri().length();
        Iterator<Map.Entry<CharSequence, CharSequence>> fields =
                request.headers().iteratorCharSequence();
        while (fields.hasNext()) {
            Map.Entry<CharSequence, CharSequence> field = fields.next();
            bytes += FIELD_BYTES + field.getKey().length() + field.getValue().length();
        }
        queued.add(bytes);
        return queuedBudget.add(bytes);
    }

    /** The next queued request, if there is one, is handled now. */
    private void dequeue() {
        Integer bytes = queued.poll();
        if (bytes != null) {
            queuedBudget.add(-bytes);
        }
    }

    /** Accounts for unread bytes; false if the pod's budget is exceeded. */
    private boolean account(long bytes) {
        boolean isWithin = unreadBudget.add(bytes - unread);
        unread = bytes;
        return isWithin;
    }

    /**
     * Whether too many bytes of answers are unread. Flushes first, because answers to this burst of
     * requests may only wait for that.
     */
    private static boolean hasTooMuchUnread(ChannelHandlerContext context) {
        if (context.channel().bytesBeforeWritable() > UNREAD_BYTES_MAX) {
            context.flush();
        }
        return context.channel().bytesBeforeWritable() > UNREAD_BYTES_MAX;
    }

    private static boolean isMalformed(Object message) {
        return message instanceof HttpObject part && part.decoderResult().isFailure();
    }

    /** Reads nothing more; the connection ends with the answer to the last complete request. */
    private void breakOff(ChannelHandlerContext context) {
        if (!broken) {
            broken = true;
            cutOff(context);
            waiting--;
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
        cutOff(context);
        super.exceptionCaught(context, cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        cutOff(context);
        super.channelInactive(context);
        account(0);
        while (!queued.isEmpty()) {
            dequeue();
        }
    }

    /** Completes a queued request that will not be read further. */
    private void cutOff(ChannelHandlerContext context) {
        if (incomplete != null && waiting > 1) {
            incomplete.setUri(CUT_OFF).setMethod(HttpMethod.valueOf(StrictRequestDecoder.UNKNOWN));
            incomplete = null;
            context.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
            throws Exception {
        ChannelPromise ends = promise;
        if (message instanceof HttpResponse response) {
            interim = response.status().code() < FINAL_STATUS_MIN;
            streaming = !(message instanceof LastHttpContent) && STREAM.contentEqualsIgnoreCase(
                    response.headers().get(HttpHeaderNames.CONTENT_TYPE));
            if (streaming && waiting > 1) {
                context.close();
            }
        }
        if (message instanceof LastHttpContent && !interim) {
            streaming = false;
            waiting--;
            dequeue();
            if (broken && waiting == 0) {
                ends = promise.unvoid().addListener(ChannelFutureListener.CLOSE);
            }
        }
        super.write(context, message, ends);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) throws Exception {
        if (context.channel().isWritable()) {
            account(0);
        } else if (!watched) {
            watched = true;
            watch(context, Output.of(context.channel()), 0);
        }
        super.channelWritabilityChanged(context);
    }

    /** An answer may be long and a client slow, but the client must make some progress. */
    private void watch(ChannelHandlerContext context, Output before, int idleChecks) {
        Channel channel = context.channel();
        if (channel.isWritable() || !channel.isActive()) {
            watched = false;
        } else if (idleChecks == IDLE_CHECKS_MAX || !account(before.waiting)) {
            context.close();
        } else {
            context.executor().schedule(() -> {
                Output now = Output.of(channel);
                watch(context, now, now.isProgressSince(before) ? 0 : idleChecks + 1);
            }, CHECK_SECONDS, TimeUnit.SECONDS);
        }
    }

    /**
     * A connection's output: the buffer that is being written, by identity, how many of its bytes
     * are written, and all bytes that wait. Netty's IdleStateHandler compares the same.
     */
    private record Output(int buffer, long written, long waiting) {

        static Output of(Channel channel) {
            ChannelOutboundBuffer unwritten = channel.unsafe().outboundBuffer();
            return unwritten == null ? new Output(0, 0, 0)
                    : new Output(System.identityHashCode(unwritten.current()),
                            unwritten.currentProgress(), unwritten.totalPendingWriteBytes());
        }

        /** Whether bytes have left since. More bytes that wait are no progress of the client. */
        boolean isProgressSince(Output before) {
            return buffer != before.buffer || written != before.written
                    || waiting < before.waiting;
        }
    }
}
