package dev.rush.dev;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A real redis-server in its own process, on a free loopback port, with its data in a temporary
 * folder.
 *
 * <p>It writes an append-only file, so that a restart finds its data. Unless it is {@link
 * #startDurable durable}, it runs without fsync: its data survives a crash of the process, but not
 * of the machine. With fsync, Redis delays writes while the disk is busy, so that even a crash of
 * the process may lose accepted purchases. The server never outlives this JVM. {@link #start} and
 * {@link #restart} return when it answers.
 */
public final class EmbeddedRedis implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
    private static final int REPLY_LIMIT_MS = 500;

    private final Place place;
    private final int port;
    private final Path folder;
    private final List<String> command = new ArrayList<>();
    private Process process;
    private ParentWatchdog watchdog;
    private volatile boolean paused;

    private EmbeddedRedis(Place place, String... arguments) {
        this.place = place;
        port = place.port();
        folder = place.newFolder("rush-redis-");
        command.addAll(List.of(RedisBinary.locate(folder),
                "--port", Integer.toString(port), "--bind", "127.0.0.1",
                "--dir", folder.toString(), "--daemonize", "no", "--save", "",
                "--appendonly", "yes", "--appendfsync", "no"));
        command.addAll(List.of(arguments));
    }

    /**
     * Starts a server.
     *
     * @param arguments further command-line arguments, for example {@code "--maxmemory", "50mb"};
     *     they override those of this class
     */
    public static EmbeddedRedis start(String... arguments) {
        return start(Place.anywhere(), arguments);
    }

    /** As {@link #start}, but with fsync every second, as in production. */
    public static EmbeddedRedis startDurable(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--appendfsync", "everysec"));
        return start(all.toArray(String[]::new));
    }

    /** Starts a server at a place. */
    public static EmbeddedRedis start(Place place, String... arguments) {
        EmbeddedRedis redis = new EmbeddedRedis(place, arguments);
        try {
            redis.launch();
            return redis;
        } catch (RuntimeException e) {
            Folders.remove(redis.folder);
            throw e;
        }
    }

    /** Returns the port on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** Returns {@code redis://127.0.0.1:<port>}. */
    public String url() {
        return "redis://127.0.0.1:" + port;
    }

    /** Returns the pid of the current, or last, process. */
    public synchronized long pid() {
        return process.pid();
    }

    /** Returns the folder with the data and the log. */
    public Path folder() {
        return folder;
    }

    /** Returns whether the process exists; a paused one does. */
    public synchronized boolean alive() {
        return process.isAlive();
    }

    /** Returns what the server has logged since its first start. */
    public String log() {
        try {
            return Files.readString(logFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops the process cleanly, or by force after thirty seconds; the data stays. */
    public synchronized void stop() {
        process.destroy();
        if (!ended(STOP_LIMIT)) {
            process.destroyForcibly();
        }
        awaitEnd();
    }

    /** Kills the process (SIGKILL); its append-only file stays. */
    public synchronized void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Freezes the process (SIGSTOP): its connections stay open and nothing answers. */
    public void pause() {
        signal("STOP");
        paused = true;
    }

    /** Resumes a frozen process (SIGCONT). */
    public void resume() {
        paused = false;
        signal("CONT");
    }

    /** Returns whether the process is frozen. */
    public boolean paused() {
        return paused;
    }

    /** Restarts the stopped server on the same port and data. */
    public synchronized void restart() {
        if (process.isAlive()) {
            throw new IllegalStateException("still running: " + this);
        }
        launch();
    }

    /** Deletes the data of the stopped server, so that a restart finds no data. */
    public synchronized void loseData() {
        if (process.isAlive()) {
            throw new IllegalStateException("still running: " + this);
        }
        Folders.remove(folder.resolve("appendonlydir"));
        folder.resolve("dump.rdb").toFile().delete();
    }

    /** Stops the process and removes its folder. */
    @Override
    public synchronized void close() {
        stop();
        Folders.remove(folder);
    }

    @Override
    public String toString() {
        return "redis " + port + " (pid " + pid() + ")";
    }

    private void launch() {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
        builder.environment().putAll(place.environment());
        try {
            process = builder.start();
            paused = false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        watchdog = ParentWatchdog.watch("TERM", process.pid(), folder);
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                kill();
                throw new IllegalStateException("Redis did not start: " + command + "\n" + log());
            }
            pauseBriefly();
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(REPLY_LIMIT_MS);
            InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            socket.connect(new InetSocketAddress(loopback, port), REPLY_LIMIT_MS);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] reply = socket.getInputStream().readNBytes(5);
            String start = new String(reply, StandardCharsets.US_ASCII);
            // A server that demands a password is up, too.
            return start.equals("+PONG") || start.equals("-NOAU");
        } catch (IOException e) {
            return false;
        }
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-s", name, Long.toString(pid())).start();
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("cannot send SIG" + name + " to " + this);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitEnd() {
        if (!ended(STOP_LIMIT)) {
            throw new IllegalStateException("did not end: " + this);
        }
        watchdog.release();
    }

    private boolean ended(Duration limit) {
        try {
            return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void pauseBriefly() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Path logFile() {
        return folder.resolve("redis.log");
    }
}
