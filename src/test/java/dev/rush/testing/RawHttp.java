package dev.rush.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Sends a request as bytes, for requests that no HTTP client would send. */
public final class RawHttp {
    private static final int ANSWER_LIMIT_MS = 8_000;

    private RawHttp() {
    }

    /**
     * An answer.
     *
     * @param status 0 when the connection was closed without an answer, or none came in time
     */
    public record Answer(int status, String head, String body) {
        /** Returns whether the answer is a problem by its type. */
        public boolean isProblem() {
            return head.toLowerCase().contains("\r\ncontent-type: application/problem+json");
        }

        /** Returns whether the connection ended or timed out without an answer. */
        public boolean isSilence() {
            return status == 0;
        }
    }

    /** Sends Latin-1 text unchanged and reads until the end, or eight seconds of silence. */
    public static Answer send(URI server, String request) {
        return send(server, request.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Sends bytes unchanged and reads until the end, or eight seconds of silence. */
    public static Answer send(URI server, byte[] request) {
        return parse(exchange(server, request, ANSWER_LIMIT_MS));
    }

    /** As above, for a server that may leave the connection open: the limit of silence. */
    public static Answer send(URI server, String request, Duration silence) {
        return parse(exchange(server, request.getBytes(StandardCharsets.ISO_8859_1),
                (int) silence.toMillis()));
    }

    /** As {@link #send(URI, String)}; returns the answer as Latin-1 text. */
    public static String exchange(URI server, String request) {
        return exchange(server, request.getBytes(StandardCharsets.ISO_8859_1), ANSWER_LIMIT_MS);
    }

    private static String exchange(URI server, byte[] request, int silenceMs) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(server.getHost(), server.getPort()));
            socket.setSoTimeout(silenceMs);
            Thread writer = new Thread(() -> write(socket, request));
            writer.start();
            byte[] answer = read(socket.getInputStream());
            socket.close();
            writer.join();
            return new String(answer, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(Socket socket, byte[] request) {
        try {
            OutputStream out = socket.getOutputStream();
            out.write(request);
            out.flush();
        } catch (IOException e) {
            // The server has stopped reading; its answer says why.
        }
    }

    private static byte[] read(InputStream in) {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try {
            in.transferTo(answer);
        } catch (SocketTimeoutException e) {
            // The server keeps the connection open; the bytes received are the answer.
        } catch (IOException e) {
            // The connection was reset; the bytes received are the answer.
        }
        return answer.toByteArray();
    }

    private static Answer parse(String text) {
        if (!text.startsWith("HTTP/1.")) {
            return new Answer(0, text, "");
        }
        int end = text.indexOf("\r\n\r\n");
        String head = end < 0 ? text : text.substring(0, end);
        int status = Integer.parseInt(head.substring(9, 12));
        if (status == 100) {
            return parse(text.substring(end + 4));
        }
        return new Answer(status, head, end < 0 ? "" : text.substring(end + 4));
    }
}
