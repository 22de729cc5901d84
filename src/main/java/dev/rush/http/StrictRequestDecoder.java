package dev.rush.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decodes HTTP/1 requests and refuses each whose end is ambiguous (request smuggling, RFC 9112
 * sections 6 and 11.2), so that one request never gets two answers. A head must be complete by a
 * deadline.
 *
 * <p>It also refuses requests without a host, or whose target is not a URI, because the router
 * could not parse them, and would log and count them under a path that the client made up.
 *
 * <p>All unknown methods reach the service under one name, {@link #UNKNOWN}, because methods become
 * labels of metrics, and clients could invent any number of them.
 */
final class StrictRequestDecoder extends HttpRequestDecoder {

    /** The name of all unknown methods. */
    static final String UNKNOWN = "UNKNOWN";
    /** The path of all requests that are refused here, as paths become labels too. */
    private static final String MALFORMED = "/bad-request";
    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "PUT", "PATCH",
            "DELETE", "OPTIONS", "TRACE", "CONNECT");

    private final long headMillis;
    private boolean inBody;
    private @Nullable Future<?> deadline;

    /** Creates a decoder with a time limit for heads, from their first byte. */
    StrictRequestDecoder(HttpDecoderConfig config, long headMillis) {
        super(config);
        this.headMillis = headMillis;
    }

    @Override
    protected HttpMessage createMessage(String[] initialLine) {
        String method = METHODS.contains(initialLine[0]) ? initialLine[0] : UNKNOWN;
        HttpVersion version = HttpVersion.valueOf(initialLine[2]);
        // Compares the whole text, because Netty accepts any version name.
        if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
            throw new IllegalArgumentException("neither HTTP/1.1 nor HTTP/1.0");
        }
        return new DefaultHttpRequest(version, HttpMethod.valueOf(method), initialLine[1],
                new StrictHeaders(version));
    }

    /** Netty calls this once it has the whole head, so the head is checked here. */
    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        String host = message.headers().get("Host");
        if (host == null || HostAndPort.parseAuthority(host, -1) == null) {
            throw new IllegalArgumentException("no valid Host");
        }
        if (!isTarget(((HttpRequest) message).uri())) {
            throw new IllegalArgumentException("the target is not a URI");
        }
        return super.isContentAlwaysEmpty(message);
    }

    /** Whether the router can parse a request's target into path and query. */
    private static boolean isTarget(String uri) {
        if (isPlain(uri)) {
            return true;
        }
        try {
            // The router answers "*" and "http:path" without any of this service's handlers.
            URI target = new URI(uri);
            return uri.startsWith("/") || target.getRawAuthority() != null
                    && ("http".equalsIgnoreCase(target.getScheme())
                            || "https".equalsIgnoreCase(target.getScheme()));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /** Whether it is certainly a valid path, which is cheaper to check than to parse. */
    private static boolean isPlain(String uri) {
        if (!uri.startsWith("/") || uri.startsWith("//")) {
            return false;
        }
        for (int i = 0; i < uri.length(); i++) {
            char c = uri.charAt(i);
            if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z'
                    || c == '/' || c == '-' || c == '.' || c == '_')) {
                return false;
            }
        }
        return true;
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new IllegalArgumentException("both Transfer-Encoding and Content-Length");
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
            throws Exception {
        super.decode(context, in, out);
        for (Object message : out) {
            if (message instanceof HttpRequest request) {
                inBody = true;
                cancelDeadline();
                if (request.decoderResult().isFailure()) {
                    request.setUri(MALFORMED);
                }
            }
            if (message instanceof LastHttpContent) {
                inBody = false;
            }
        }
        if (!inBody && out.isEmpty() && deadline == null) {
            deadline = context.executor().schedule(
                    () -> context.close(), headMillis, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        cancelDeadline();
        super.channelInactive(context);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) throws Exception {
        cancelDeadline();
        super.handlerRemoved0(context);
    }

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }
}
