package dev.rush.http;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection that sends requests without end while it waits for its answers, or that does
 * not take the answers it has: both are kept in memory.
 */
final class PipelineBound extends ChannelDuplexHandler {

    /** Bytes of answers not taken with which a connection may send a further request. */
    private static final int UNTAKEN_MAX = 256 * 1024;
    private static final int INTERIM = 200;
    private static final long TAKE_SECONDS = 10;

    private final int waitingMax;
    private int waiting;
    /** Whether the answer being written is an interim one, after which the real one follows. */
    private boolean interim;
    private boolean watched;

    PipelineBound(int waitingMax) {
        this.waitingMax = waitingMax;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        if (message instanceof HttpRequest && (++waiting > waitingMax
                || context.channel().bytesBeforeWritable() > UNTAKEN_MAX)) {
            context.close();
        }
        super.channelRead(context, message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
            throws Exception {
        if (message instanceof HttpResponse response) {
            interim = response.status().code() < INTERIM;
        }
        if (message instanceof LastHttpContent && !interim) {
            waiting--;
        }
        super.write(context, message, promise);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) throws Exception {
        if (!context.channel().isWritable() && !watched) {
            watched = true;
            watch(context, Long.MAX_VALUE);
        }
        super.channelWritabilityChanged(context);
    }

    /** An answer may be long and a client slow, but something has to be taken now and then. */
    private void watch(ChannelHandlerContext context, long untakenBefore) {
        long untaken = context.channel().bytesBeforeWritable();
        if (untaken == 0 || !context.channel().isActive()) {
            watched = false;
        } else if (untaken >= untakenBefore) {
            context.close();
        } else {
            context.executor().schedule(
                    () -> watch(context, untaken), TAKE_SECONDS, TimeUnit.SECONDS);
        }
    }
}
