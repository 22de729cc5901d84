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
 * A real PostgreSQL server in its own process, on a free loopback port, with its data in a
 * temporary folder. It never outlives this JVM.
 *
 * <p>It runs without fsync, unless it is {@link #startDurable durable}: its data survives a crash
 * of the process, but not of the machine.
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
        LedgerTemplate.copyTo(data);
        // The library unpacks the binaries, creates missing data and starts the server; from then
        // on this class controls it, because the library can neither stop it immediately nor
        // restart it.
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
        LedgerTemplate.programs(programs());
        watchdog = ParentWatchdog.watch("INT", pid(), folder);
    }

    /** Copies a stopped server; the copy follows it once both run. */
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

    /** Starts a server at a place, whose environment applies from the first {@link #restart} on. */
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
     * Starts a follower with a copy of this server's data and asynchronous streaming replication,
     * so that it always lags a little. This server is down for a moment meanwhile.
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

    /** Ends a follower's replication; it keeps the data that it has received. */
    public void stopFollowing() {
        try (Connection connection = DriverManager.getConnection(url("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET primary_conninfo = ''");
            statement.execute("SELECT pg_reload_conf()");
            long end = System.nanoTime() + LIMIT.toNanos();
            while (hasReceiver(statement)) {
                if (System.nanoTime() > end) {
                    throw new IllegalStateException("the follower still receives");
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

    /** Promotes a follower to a primary, with the data that it has received so far. */
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
            List<String> lines = Files.readAllLines(data.resolve("postmaster.pid"));
            return Long.parseLong(lines.get(0).strip());
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL is not running", e);
        }
    }

    /** Stops the server cleanly: open transactions are rolled back, the data stays. */
    public synchronized void stop() {
        end("fast");
    }

    /** Stops the server as a crash would: connections break, the next start recovers the data. */
    public synchronized void stopImmediately() {
        end("immediate");
    }

    /** Freezes the server with all its connections (SIGSTOP): nothing is closed or answered. */
    public void pause() {
        signal("STOP");
    }

    /** Resumes a frozen server (SIGCONT). */
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

    /** Restarts the stopped server on the same port and data, and returns when it answers. */
    public synchronized void restart() {
        // Only the action "restart" reuses the options of the first start.
        control("-w", "-l", folder.resolve("postgres.log").toString(), "restart");
        watchdog = ParentWatchdog.watch("INT", pid(), folder);
    }

    /** Stops the server and removes its folder. */
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
        List<String> command = new ArrayList<>(
                List.of(programs().resolve("pg_ctl").toString(), "-D", data.toString()));
        command.addAll(List.of(action));
        run(LedgerTemplate.asNonRoot(command));
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
                throw new IllegalStateException("did not end: " + command);
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
            // The server records its command line: its path, then quoted options.
            String commandLine = Files.readString(data.resolve("postmaster.opts"));
            return Path.of(commandLine.substring(0, commandLine.indexOf(" \""))).getParent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
