package dev.rush.dev;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A fresh data folder that every server of this JVM but the first one copies, because a copy takes
 * a tenth of the time of initdb. It is removed when this JVM has ended.
 */
final class LedgerTemplate {
    private static Path programs;
    private static Path data;

    private LedgerTemplate() {
    }

    /** Tells where the library has unpacked the programs. */
    static synchronized void programs(Path folder) {
        programs = folder;
    }

    /** Creates a data folder as a copy, unless the programs are still packed. */
    static synchronized void copyTo(Path target) {
        if (programs == null) {
            return;
        }
        if (data == null) {
            data = created();
        }
        run(List.of("cp", "-a", data.toString(), target.toString()));
    }

    private static Path created() {
        try {
            Path folder = Files.createTempDirectory("rush-ledger-template-");
            ParentWatchdog.removeAtEnd(folder);
            Path created = folder.resolve("data");
            // The options of the library, which are also those of the first server.
            run(asNonRoot(List.of(programs.resolve("initdb").toString(), "-A", "trust",
                    "-U", "postgres", "-D", created.toString(), "-E", "UTF-8", "--no-sync")));
            return created;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** PostgreSQL refuses to run as root; in its own user namespace it is not root. */
    static List<String> asNonRoot(List<String> command) {
        List<String> all = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            all.addAll(List.of("unshare", "-U"));
        }
        all.addAll(command);
        return all;
    }

    private static void run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(),
                    StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(command + "\n" + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
