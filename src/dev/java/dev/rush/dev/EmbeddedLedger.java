package dev.rush.dev;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real PostgreSQL server as a process of its own, on a free port of the loopback interface, with
 * its data in a temporary folder. It never outlives this JVM.
 *
 * <p>It runs without fsync, unless it is {@link #startDurable durable}: its data survives the end
 * of its process, not that of the machine.
 */
public final class EmbeddedLedger implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Place place;
    private final int port;
    private final Path folder;
    private final Path data;
    private final AtomicInteger databases = new AtomicInteger();
    private ParentWatchdog watchdog;

    private EmbeddedLedger(Place place, boolean durable) throws IOException {
        this.place = place;
        port = place.port();
        folder = place.newFolder("rush-ledger-");
        data = folder.resolve("data");
        Path log = Files.createFile(folder.resolve("postgres.log"));
        // The library unpacks the binaries, creates the data and starts the server; from then on
        // the server is ours, since the library can neither stop it hard nor start it again.
        EmbeddedPostgres.builder()
                .setPort(port)
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setPGStartupWait(LIMIT)
                // The library turns this off, and then an immediate stop loses committed orders.
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("fsync", durable ? "on" : "off")
                .setServerConfig("max_connections", "300")
                .setOutputRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        watchdog = ParentWatchdog.watch("INT", pid(), folder);
    }

    /** A copy of a server that is down, which follows it once both run. */
    private EmbeddedLedger(Place place, EmbeddedLedger primary) throws IOException {
        this.place = place;
        port = place.port();
        folder = place.newFolder("rush-ledger-");
        data = folder.resolve("data");
        run(List.of("cp", "-a", primary.data.toString(), data.toString()));
        Path options = data.resolve("postmaster.opts");
        Files.writeString(options, Files.readString(options)
                .replace(primary.data.toString(), data.toString())
                .replace("\"-p\" \"" + primary.port + "\"", "\"-p\" \"" + port + "\""));
        Files.writeString(data.resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=" + primary.port + " user=postgres'\n",
                StandardOpenOption.APPEND);
        Files.createFile(data.resolve("standby.signal"));
    }

    /** Starts a server and returns when it answers. */
    public static EmbeddedLedger start() {
        return start(Place.anywhere());
    }

    /** Starts a server that writes through to the disk before it commits, as in production. */
    public static EmbeddedLedger startDurable() {
        return start(Place.anywhere(), true);
    }

    /** Starts a server at a place; the environment counts from its first {@link #restart} on. */
    public static EmbeddedLedger start(Place place) {
        return start(place, false);
    }

    private static EmbeddedLedger start(Place place, boolean durable) {
        try {
            return new EmbeddedLedger(place, durable);
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL did not start", e);
        }
    }

    /**
     * Starts a server that has all that this one has and follows it by asynchronous streaming
     * replication, so that it is always a little behind. This one stops for a moment meanwhile.
     */
    public synchronized EmbeddedLedger follower(Place place) {
        stop();
        try {
            EmbeddedLedger follower = new EmbeddedLedger(place, this);
            restart();
            follower.restart();
            return follower;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets a follower hear no more of the server that it follows; what it has, it keeps. */
    public void stopFollowing() {
        try (Connection connection = DriverManager.getConnection(url("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET primary_conninfo = ''");
            statement.execute("SELECT pg_reload_conf()");
            long end = System.nanoTime() + LIMIT.toNanos();
            while (hasReceiver(statement)) {
                if (System.nanoTime() > end) {
                    throw new IllegalStateException("the follower goes on following");
                }
                Thread.sleep(10);
            }
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean hasReceiver(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SELECT 1 FROM pg_stat_wal_receiver")) {
            return rows.next();
        }
    }

    /** Lets a follower go on by itself, with what it has received so far. */
    public synchronized void promote() {
        control("-w", "promote");
    }

    /** Returns the port on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** Returns the JDBC URL of a database, with the user in it; no password is needed. */
    public String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=postgres";
    }

    /** Creates an empty database and returns its JDBC URL. */
    public String freshDatabase() {
        String name = "rush_" + databases.incrementAndGet();
        try (Connection connection = DriverManager.getConnection(url("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
            return url(name);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot create the database " + name, e);
        }
    }

    /** Returns the pid of the running postmaster. */
    public long pid() {
        try {
            List<String> noted = Files.readAllLines(data.resolve("postmaster.pid"));
            return Long.parseLong(noted.get(0).strip());
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL is not running", e);
        }
    }

    /** Ends the server in order: open transactions are rolled back, the data stays. */
    public synchronized void stop() {
        end("fast");
    }

    /** Ends the server as a crash would: connections break, the next start recovers the data. */
    public synchronized void stopImmediately() {
        end("immediate");
    }

    /** Freezes the server with all its connections (SIGSTOP): nothing is closed or answered. */
    public void pause() {
        signal("STOP");
    }

    /** Lets a frozen server go on. */
    public void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        List<String> command = new ArrayList<>(List.of("kill", "-s", name, Long.toString(pid())));
        ProcessHandle.of(pid()).orElseThrow().descendants()
                .forEach(process -> command.add(Long.toString(process.pid())));
        try {
            // One of its processes may just have ended.
            new ProcessBuilder(command).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts the ended server again, on the same port and data, and returns when it answers. */
    public synchronized void restart() {
        // Of all of its actions, only "restart" takes the options of the first start again.
        control("-w", "-l", folder.resolve("postgres.log").toString(), "restart");
        watchdog = ParentWatchdog.watch("INT", pid(), folder);
    }

    /** Ends the server and removes its folder. */
    @Override
    public synchronized void close() {
        if (Files.exists(data.resolve("postmaster.pid"))) {
            stop();
        }
        Folders.remove(folder);
    }

    private void end(String mode) {
        control("-w", "-m", mode, "stop");
        watchdog.release();
    }

    private void control(String... action) {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            // PostgreSQL refuses to run as root; in a user namespace of its own it is not root.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(programs().resolve("pg_ctl").toString(), "-D", data.toString()));
        command.addAll(List.of(action));
        run(command);
    }

    private void run(List<String> command) {
        Path output = folder.resolve("pg_ctl.log");
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
            builder.environment().putAll(place.environment());
            Process process = builder.start();
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("does not end: " + command);
            }
            if (process.exitValue() != 0) {
                throw new IllegalStateException(command + "\n" + Files.readString(output));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Path programs() {
        try {
            // The server's own note of its command line: its path, then quoted options.
            String started = Files.readString(data.resolve("postmaster.opts"));
            return Path.of(started.substring(0, started.indexOf(" \""))).getParent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
