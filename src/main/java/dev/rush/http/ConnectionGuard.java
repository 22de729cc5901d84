package dev.rush.http;

import dev.rush.HttpConfig;
import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.quarkus.runtime.annotations.RegisterForReflection;
import io.vertx.core.http.HttpServerOptions;
import org.jspecify.annotations.Nullable;

/**
 * Installs {@link StrictRequestDecoder} and {@link PipelineBound} in each connection that the HTTP
 * server accepts. Vert.x has no hook for either, hence this extension of Netty, which Netty loads
 * by name because {@link HttpServerSetup} configures it.
 */
@RegisterForReflection
public final class ConnectionGuard extends ChannelInitializerExtension {

    /** The names of Vert.x's handlers in a connection. */
    private static final String DECODER = "httpDecoder";
    private static final String SERVER = "handler";

    /** Of the heads of all queued requests, on the heap. */
    private static final long QUEUED_BYTES_MAX = 16 << 20;
    /** Of all answers that clients do not read, in direct memory. */
    private static final long UNREAD_BYTES_MAX = 24 << 20;

    private static volatile @Nullable Bounds bounds;

    private record Bounds(HttpDecoderConfig decoder, long headMillis, int pipeline,
            MemoryBudget queued, MemoryBudget unread) {
    }

    /** Sets the bounds of the connections from now on. */
    static void use(HttpServerOptions options, HttpConfig config) {
        HttpDecoderConfig decoder = new HttpDecoderConfig()
                .setMaxInitialLineLength(options.getMaxInitialLineLength())
                .setMaxHeaderSize(options.getMaxHeaderSize())
                .setMaxChunkSize(options.getMaxChunkSize())
                .setInitialBufferSize(options.getDecoderInitialBufferSize())
                .setStrictLineParsing(true);
        bounds = new Bounds(decoder, config.headTimeout().toMillis(), config.pipeline(),
                new MemoryBudget(QUEUED_BYTES_MAX), new MemoryBudget(UNREAD_BYTES_MAX));
    }

    @Override
    public void postInitializeServerChildChannel(Channel channel) {
        Bounds now = bounds;
        if (now != null) {
            channel.pipeline().addFirst(new Installer(now));
        }
    }

    /** Waits until Vert.x has installed its handlers. */
    private static final class Installer extends ChannelInboundHandlerAdapter {

        private final Bounds bounds;

        Installer(Bounds bounds) {
            this.bounds = bounds;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) throws Exception {
            ChannelPipeline pipeline = context.pipeline();
            if (pipeline.get(DECODER) != null && pipeline.get(SERVER) != null) {
                pipeline.replace(DECODER, DECODER,
                        new StrictRequestDecoder(bounds.decoder, bounds.headMillis));
                pipeline.addBefore(SERVER, "pipelineBound", new PipelineBound(
                        bounds.pipeline, bounds.queued, bounds.unread));
            }
            context.fireChannelActive();
            pipeline.remove(this);
        }
    }
}
