package dev.rush.testing;

import dev.rush.redis.Script;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A server on 127.0.0.1 that speaks Redis's protocol and gives a test's replies, even those that no
 * Redis would give. It answers the commands that open a connection as Redis does; the test answers
 * all others.
 */
public final class ScriptedRedis implements AutoCloseable {

    /** A reply that cuts the connection without sending a byte. */
    public static final String CUT = "cut";
    /** No reply, neither to this command nor to later ones on the connection. */
    public static final String SILENCE = "";

    private static final Script TENURES = Script.load("redis/tenures");

    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile Function<List<String>, String> script = words -> error("ERR no script");
    private volatile Function<List<String>, String> introduction = this::introduction;
    private volatile long clockAheadMs;
    private volatile boolean silent;

    private ScriptedRedis(ServerSocket server) {
        this.server = server;
    }

    /** Starts a server on a free port. */
    public static ScriptedRedis start() {
        try {
            ScriptedRedis redis = new ScriptedRedis(
                    new ServerSocket(0, 128, InetAddress.getLoopbackAddress()));
            run(redis::accept);
            return redis;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The port on 127.0.0.1. */
    public int port() {
        return server.getLocalPort();
    }

    /** Sets the replies from now on: a command, its name in capitals, gets a raw reply. */
    public void answer(Function<List<String>, String> next) {
        script = next;
    }

    /** As {@link #answer}, for commands that open a connection: HELLO, TIME, SCRIPT, TENURES. */
    public void introduce(Function<List<String>, String> next) {
        introduction = next;
    }

    /** Cuts all connections that are open now. */
    public void cut() {
        sockets.forEach(socket -> {
            try {
                socket.close();
            } catch (IOException e) {
                // It is closed anyway.
            }
        });
    }

    /** If true, a connection that sends a command from now on never gets a reply again. */
    public void silent(boolean now) {
        silent = now;
    }

    /** Sets the clock this far ahead of the machine's; may be negative. */
    public void clockAhead(long milliseconds) {
        clockAheadMs = milliseconds;
    }

    /** The server's time in milliseconds. */
    public long now() {
        return System.currentTimeMillis() + clockAheadMs;
    }

    /** An error reply. */
    public static String error(String message) {
        return "-" + message + "\r\n";
    }

    /** A number. */
    public static String number(long value) {
        return ":" + value + "\r\n";
    }

    /** A text. */
    public static String text(String value) {
        return "$" + value.getBytes(StandardCharsets.UTF_8).length + "\r\n" + value + "\r\n";
    }

    /** A list of replies. */
    public static String list(List<String> replies) {
        return "*" + replies.size() + "\r\n" + String.join("", replies);
    }

    @Override
    public void close() {
        try {
            server.close();
            cut();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                sockets.add(socket);
                run(() -> serve(socket));
            } catch (IOException e) {
                // Closed.
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (true) {
                String reply = reply(command(in));
                if (reply.equals(CUT)) {
                    return;
                }
                if (reply.equals(SILENCE)) {
                    in.transferTo(OutputStream.nullOutputStream());
                    return;
                }
                socket.getOutputStream().write(reply.getBytes(StandardCharsets.UTF_8));
                socket.getOutputStream().flush();
            }
        } catch (IOException e) {
            // The client is gone.
        } finally {
            sockets.remove(socket);
        }
    }

    private String reply(List<String> words) {
        if (silent) {
            return SILENCE;
        }
        words.set(0, words.get(0).toUpperCase(Locale.ROOT));
        if (words.size() > 1 && words.get(1).equals(TENURES.sha1())) {
            words.set(0, "TENURES");
        }
        return switch (words.get(0)) {
            case "HELLO", "TIME", "SCRIPT", "TENURES" -> introduction.apply(words);
            default -> script.apply(words);
        };
    }

    /** Redis's replies to the commands that open a connection. */
    public String introduction(List<String> words) {
        return switch (words.get(0)) {
            case "HELLO" -> "%1\r\n" + text("server") + text("redis");
            case "TIME" -> list(List.of(text(Long.toString(now() / 1000)),
                    text(Long.toString(now() % 1000 * 1000))));
            case "TENURES" -> list(List.of(text("process" + port() + " 0 0")));
            default -> text("loaded");
        };
    }

    private static List<String> command(InputStream in) throws IOException {
        int count = Integer.parseInt(line(in).substring(1));
        List<String> words = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] word = in.readNBytes(Integer.parseInt(line(in).substring(1)));
            words.add(new String(word, StandardCharsets.UTF_8));
            line(in);
        }
        return words;
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    private static void run(Runnable work) {
        Thread thread = new Thread(work, "scripted-redis");
        thread.setDaemon(true);
        thread.start();
    }
}
