package dev.rush.ledger;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.event.EventScenes;
import dev.rush.ledger.writer.WriterScenes;
import dev.rush.testing.Scene;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.opentest4j.AssertionFailedError;

/**
 * Plays the scenes of {@link JournalScenes}, {@link WriterScenes} and {@link EventScenes} against
 * mutants of the SQL guards, each in its own database. Exits with 1 unless all are killed.
 */
public final class SqlMutants {
    private static final Path LIST = Path.of("src/test/resources/mutants/sql.txt");
    private static final String ARROW = " => ";
    /** For all scenes of a mutant, on a busy machine. */
    private static final Duration LIMIT = Duration.ofMinutes(5);
    /**
     * Syntax error; wrong type; unknown column, function or table: nobody would commit such SQL.
     */
    private static final Set<String> NO_SQL =
            Set.of("42601", "42804", "42703", "42883", "42P01");

    private SqlMutants() {
    }

    /** The mutants, from lines "file: before => after". */
    static List<SqlRewrite> all() {
        List<SqlRewrite> all = new ArrayList<>();
        for (String line : lines(LIST).lines().toList()) {
            int colon = line.indexOf(": ");
            int arrow = (line + " ").indexOf(ARROW);
            if (!line.startsWith("#") && !line.isBlank()) {
                all.add(new SqlRewrite(line.substring(0, colon), line.substring(colon + 2, arrow),
                        (line + " ").substring(arrow + ARROW.length()).strip()));
            }
        }
        return all;
    }

    /** The text that has a mutant's words. */
    static String source(String file) {
        return lines(file.startsWith("V")
                ? Path.of("src/main/resources/db/migration", file + ".sql")
                : Path.of("src/main/java/dev/rush", file + ".java"));
    }

    private static String lines(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Runs the mutants of all files whose names contain a word. Returns whether all were killed.
     */
    public static boolean run(String word) throws Exception {
        List<SqlRewrite> mutants =
                all().stream().filter(mutant -> mutant.file().contains(word)).toList();
        if (mutants.isEmpty()) {
            return true;
        }
        int killed = 0;
        try (EmbeddedLedger postgres = EmbeddedLedger.start()) {
            String failure = failure(postgres, SqlRewrite.NONE);
            if (failure != null) {
                throw new IllegalStateException("the SQL itself fails: " + failure);
            }
            for (SqlRewrite mutant : mutants) {
                if (failure(postgres, mutant) == null) {
                    System.out.println("survives: " + mutant);
                } else {
                    killed++;
                }
            }
        }
        System.out.printf("%d mutants of the SQL: %d killed%n", mutants.size(), killed);
        return killed == mutants.size();
    }

    /**
     * The first scene that fails and why; null when all succeed. A mutant may also make a scene
     * run for ever, which is a failure too.
     */
    private static String failure(EmbeddedLedger postgres, SqlRewrite rewrite) {
        try {
            return assertTimeoutPreemptively(LIMIT, () -> play(postgres, rewrite));
        } catch (AssertionFailedError e) {
            return e.toString();
        }
    }

    private static String play(EmbeddedLedger postgres, SqlRewrite rewrite) throws Exception {
        try (TestJournal test = new TestJournal(postgres.freshDatabase(), rewrite)) {
            Map<String, Scene> scenes = new LinkedHashMap<>(JournalScenes.of(test));
            scenes.putAll(WriterScenes.of(test));
            scenes.putAll(EventScenes.of(test));
            return failure(scenes, rewrite);
        }
    }

    private static String failure(Map<String, Scene> scenes, SqlRewrite rewrite) {
        for (var scene : scenes.entrySet()) {
            try {
                scene.getValue().play();
            } catch (Exception | AssertionError e) {
                rejectNoSql(rewrite, e);
                return scene.getKey() + ": " + e;
            }
        }
        return null;
    }

    private static void rejectNoSql(SqlRewrite rewrite, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && NO_SQL.contains(sql.getSQLState())) {
                throw new IllegalStateException("is no SQL: " + rewrite, failure);
            }
        }
    }
}
