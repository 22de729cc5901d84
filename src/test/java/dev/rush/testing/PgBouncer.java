package dev.rush.testing;

import dev.rush.dev.ParentWatchdog;
import dev.rush.dev.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A real PgBouncer on 127.0.0.1 in front of PostgreSQL, pooling transactions with default settings.
 * The project does not bundle it, so a test checks whether it is installed.
 */
public final class PgBouncer implements AutoCloseable {
    private static final List<Path> PLACES =
            List.of(Path.of("/usr/sbin/pgbouncer"), Path.of("/usr/bin/pgbouncer"));
    private static final Duration START_LIMIT = Duration.ofSeconds(20);

    private final int port = Ports.free();
    private final Path folder;
    private final Process process;
    private final ParentWatchdog watchdog;

    private PgBouncer(int postgresPort, int poolSize) throws IOException {
        folder = Files.createTempDirectory("rush-pgbouncer-");
        Path settings = Files.writeString(folder.resolve("pgbouncer.ini"), """
                [databases]
                * = host=127.0.0.1 port=%d user=postgres
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = transaction
                default_pool_size = %d
                max_client_conn = 500
                """.formatted(postgresPort, port, poolSize));
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            // PgBouncer refuses to run as root; in its own user namespace it is not root.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(program().toString(), settings.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectOutput(folder.resolve("pgbouncer.log").toFile());
        process = builder.start();
        watchdog = ParentWatchdog.watch("TERM", process.pid(), folder);
    }

    /** Returns whether this machine has a PgBouncer. */
    public static boolean isInstalled() {
        return PLACES.stream().anyMatch(Files::isExecutable);
    }

    /**
     * Starts PgBouncer and returns when it listens.
     *
     * @param poolSize maximum connections to PostgreSQL per database
     */
    public static PgBouncer start(int postgresPort, int poolSize) {
        try {
            PgBouncer pooler = new PgBouncer(postgresPort, poolSize);
            Await.until("PgBouncer listens", START_LIMIT, pooler::listens, pooler::log);
            return pooler;
        } catch (IOException e) {
            throw new UncheckedIOException("PgBouncer did not start", e);
        }
    }

    private static Path program() {
        return PLACES.stream().filter(Files::isExecutable).findFirst().orElseThrow();
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 1_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the JDBC URL through the pooler for a JDBC URL of the server. */
    public String through(String url) {
        return url.replaceFirst("//127\\.0\\.0\\.1:\\d+/", "//127.0.0.1:" + port + "/");
    }

    /** Returns what it has logged so far. */
    public String log() {
        try {
            return Files.readString(folder.resolve("pgbouncer.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("PgBouncer did not end");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        watchdog.release();
        for (String file : List.of("pgbouncer.ini", "pgbouncer.log")) {
            folder.resolve(file).toFile().delete();
        }
        folder.toFile().delete();
    }
}
