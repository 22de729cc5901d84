package dev.rush.testing;

import dev.rush.dev.EmbeddedLedger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A base backup of a running PostgreSQL. The embedded one lacks {@code pg_basebackup}, so this does
 * the same through SQL: it copies the data between {@code pg_backup_start} and {@code
 * pg_backup_stop}, then the WAL up to there.
 */
public final class BaseBackup {
    private final Path data;
    private final Path backup;

    private BaseBackup(Path data) {
        this.data = data;
        // The server removes its folder with all that is in it.
        backup = data.resolveSibling("backup");
    }

    /** Takes a backup while transactions go on. */
    public static BaseBackup of(EmbeddedLedger ledger) {
        try (Connection connection = DriverManager.getConnection(ledger.url("postgres"));
                Statement statement = connection.createStatement()) {
            BaseBackup taken = new BaseBackup(Path.of(text(statement, "SHOW data_directory")));
            text(statement, "SELECT pg_backup_start('rush', true)");
            taken.copyData();
            try (ResultSet row = statement.executeQuery(
                    "SELECT pg_walfile_name(lsn), labelfile FROM pg_backup_stop(false)")) {
                row.next();
                Files.writeString(taken.backup.resolve("backup_label"), row.getString(2));
                taken.copyWal(row.getString(1));
            }
            return taken;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Copies everything but the WAL. Files may vanish meanwhile; the WAL knows of them. */
    private void copyData() throws IOException {
        Path wal = data.resolve("pg_wal");
        Files.walkFileTree(data, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes is)
                    throws IOException {
                copy(folder);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes is)
                    throws IOException {
                if (!file.startsWith(wal) && !file.endsWith("postmaster.pid")) {
                    copy(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
    }

    private void copy(Path path) throws IOException {
        try {
            Files.copy(path, backup.resolve(data.relativize(path).toString()),
                    StandardCopyOption.COPY_ATTRIBUTES);
        } catch (NoSuchFileException e) {
            if (Files.exists(path)) {
                throw e;
            }
        }
    }

    /** Copies the segments up to the last one that the backup needs. */
    private void copyWal(String last) throws IOException {
        try (DirectoryStream<Path> segments =
                Files.newDirectoryStream(data.resolve("pg_wal"), Files::isRegularFile)) {
            for (Path segment : segments) {
                if (segment.getFileName().toString().compareTo(last) <= 0) {
                    copy(segment);
                }
            }
        }
    }

    /** Puts the backup in place of the data of the server, which must be stopped. */
    public void restore() {
        try {
            Files.move(data, data.resolveSibling("lost"));
            Files.move(backup, data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
