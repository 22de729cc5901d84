package dev.rush.testing;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A blocking connection to one Redis node, for tests that bypass the service. It follows no
 * redirects and never retries. Not thread-safe.
 */
public final class Resp implements AutoCloseable {
    private static final int CONNECT_LIMIT_MS = (int) Patience.ofMillis(2_000);
    private static final Duration REPLY_LIMIT = Patience.of(Duration.ofSeconds(10));

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private Resp(Socket socket) throws IOException {
        this.socket = socket;
        in = new BufferedInputStream(socket.getInputStream());
        out = new BufferedOutputStream(socket.getOutputStream());
    }

    /** An error reply of the server. */
    public static final class ErrorReply extends RuntimeException {
        private ErrorReply(String message) {
            super(message);
        }
    }

    /** Connects to a port of 127.0.0.1, with plenty of time for each reply. */
    public static Resp connect(int port) {
        return connect(port, REPLY_LIMIT);
    }

    /** Connects to a port of 127.0.0.1. */
    public static Resp connect(int port, Duration replyLimit) {
        return connect("127.0.0.1", port, replyLimit);
    }

    /** Connects to a port of a loopback address. */
    public static Resp connect(String address, int port, Duration replyLimit) {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(address, port), CONNECT_LIMIT_MS);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) replyLimit.toMillis());
            return new Resp(socket);
        } catch (IOException e) {
            closeQuietly(socket);
            throw new UncheckedIOException("no connection to Redis on " + port, e);
        }
    }

    /**
     * Sends one command and returns its reply: a String, a Long, a List of replies, or null.
     *
     * @throws ErrorReply if the server answers with an error
     * @throws UncheckedIOException if the connection fails or the reply does not come in time
     */
    public Object command(String... words) {
        try {
            send(words);
            out.flush();
            Object reply = read();
            if (reply instanceof ErrorReply error) {
                throw error;
            }
            return reply;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Pipelines commands and returns their replies; errors are {@link ErrorReply} values. */
    public List<Object> pipeline(List<String[]> commands) {
        try {
            for (String[] words : commands) {
                send(words);
            }
            out.flush();
            List<Object> replies = new ArrayList<>(commands.size());
            for (int i = 0; i < commands.size(); i++) {
                replies.add(read());
            }
            return replies;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a command that is answered with a string. */
    public String text(String... words) {
        return (String) command(words);
    }

    /** Sends a command that is answered with an integer. */
    public long number(String... words) {
        return (Long) command(words);
    }

    /** Returns the number of calls of commands whose names begin with this prefix. */
    public long calls(String prefix) {
        return text("INFO", "commandstats").lines()
                .filter(line -> line.startsWith("cmdstat_" + prefix))
                .mapToLong(line -> Long.parseLong(line.split("[=,]")[1])).sum();
    }

    /** Sends a command that is answered with an array. */
    public List<?> list(String... words) {
        return (List<?>) command(words);
    }

    @Override
    public void close() {
        closeQuietly(socket);
    }

    private void send(String... words) throws IOException {
        out.write(ascii("*" + words.length + "\r\n"));
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            out.write(ascii("$" + bytes.length + "\r\n"));
            out.write(bytes);
            out.write(ascii("\r\n"));
        }
    }

    private Object read() throws IOException {
        String line = line();
        String payload = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> payload;
            case '-' -> new ErrorReply(payload);
            case ':' -> Long.valueOf(payload);
            case '$' -> bulk(Integer.parseInt(payload));
            case '*' -> array(Integer.parseInt(payload));
            default -> throw new IOException("not RESP2: " + line);
        };
    }

    private String bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length || in.readNBytes(2).length < 2) {
            throw new EOFException("the connection ended within a reply");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private List<Object> array(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<Object> replies = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            replies.add(read());
        }
        return replies;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\r'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection ended");
            }
            line.append((char) next);
        }
        in.read();
        return line.toString();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The connection is not used any more.
        }
    }
}
