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

/**
 * Puts {@link StrictRequestDecoder} and {@link PipelineBound} into each connection that the HTTP
 * server accepts. Vert.x has no hook for either, hence this extension of Netty, which Netty loads
 * by name because {@link HttpServerSetup} configures it.
 */
@RegisterForReflection
public final class ConnectionGuard extends ChannelInitializerExtension {

    /** The names of Vert.x's handlers in a connection. */
    private static final String DECODER = "httpDecoder";
    private static final String SERVER = "handler";

    private static volatile Bounds bounds;

    private record Bounds(HttpDecoderConfig decoder, long headMillis, int pipeline) {
    }

    /** Sets the bounds of the connections from now on. */
    static void use(HttpServerOptions options, HttpConfig config) {
        HttpDecoderConfig decoder = new HttpDecoderConfig()
                .setMaxInitialLineLength(options.getMaxInitialLineLength())
                .setMaxHeaderSize(options.getMaxHeaderSize())
                .setMaxChunkSize(options.getMaxChunkSize())
                .setInitialBufferSize(options.getDecoderInitialBufferSize())
                .setStrictLineParsing(true);
        bounds = new Bounds(decoder, config.headTimeout().toMillis(), config.pipeline());
    }

    @Override
    public void postInitializeServerChildChannel(Channel channel) {
        if (bounds != null) {
            channel.pipeline().addFirst(new Installer());
        }
    }

    /** Waits until Vert.x has installed its handlers. */
    private static final class Installer extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) throws Exception {
            ChannelPipeline pipeline = context.pipeline();
            if (pipeline.get(DECODER) != null && pipeline.get(SERVER) != null) {
                Bounds now = bounds;
                pipeline.replace(DECODER, DECODER,
                        new StrictRequestDecoder(now.decoder, now.headMillis));
                pipeline.addBefore(SERVER, "pipelineBound", new PipelineBound(now.pipeline));
            }
            context.fireChannelActive();
            pipeline.remove(this);
        }
    }
}
