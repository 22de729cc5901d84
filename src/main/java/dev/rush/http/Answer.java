package dev.rush.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An answer to a client, as an immutable value, so that the REST layer and {@link HotRoute} send
 * the same.
 */
public final class Answer {

    private static final CharSequence[] NO_HEADERS = {};
    private static final byte[] NO_BODY = {};

    /** Encoded once, because these are sent very often. */
    private static final CharSequence JSON =
            HttpHeaders.createOptimized(MediaType.APPLICATION_JSON);
    private static final CharSequence PROBLEM =
            HttpHeaders.createOptimized("application/problem+json");

    private final int status;
    private final @Nullable CharSequence mediaType;
    private final byte[] body;
    /** Names and values alternate. */
    private final CharSequence[] headers;

    private Answer(
            int status, @Nullable CharSequence mediaType, byte[] body, CharSequence[] headers) {
        this.status = status;
        this.mediaType = mediaType;
        this.body = body;
        this.headers = headers;
    }

    /** JSON with a status. The caller must not modify the body afterwards. */
    public static Answer json(int status, byte[] body) {
        return new Answer(status, JSON, body, NO_HEADERS);
    }

    /** A file of a media type. */
    static Answer file(String mediaType, byte[] body) {
        return new Answer(200, HttpHeaders.createOptimized(mediaType), body, NO_HEADERS);
    }

    static Answer problem(int status, byte[] body) {
        return new Answer(status, PROBLEM, body, NO_HEADERS);
    }

    /** 304: the client already has it. */
    static Answer notModified() {
        return new Answer(304, null, NO_BODY, NO_HEADERS);
    }

    /** This answer with one more header. */
    public Answer with(CharSequence name, CharSequence value) {
        CharSequence[] more = Arrays.copyOf(headers, headers.length + 2);
        more[headers.length] = name;
        more[headers.length + 1] = value;
        return new Answer(status, mediaType, body, more);
    }

    /** The answer for the REST layer to send. */
    public Response response() {
        Response.ResponseBuilder builder = Response.status(status);
        if (mediaType != null) {
            builder.type(mediaType.toString()).entity(body);
        }
        for (int i = 0; i < headers.length; i += 2) {
            builder.header(headers[i].toString(), headers[i + 1].toString());
        }
        return builder.build();
    }

    /** Sends it, head and body in one write, unless the client has disconnected. */
    void send(HttpServerResponse response) {
        if (response.ended() || response.closed()) {
            return;
        }
        response.setStatusCode(status);
        if (mediaType != null) {
            response.putHeader(HttpHeaders.CONTENT_TYPE, mediaType);
        }
        for (int i = 0; i < headers.length; i += 2) {
            response.putHeader(headers[i], headers[i + 1]);
        }
        response.end(Buffer.buffer(body));
    }
}
