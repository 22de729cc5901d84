package dev.rush.dev;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where a server runs: its port, the parent of its folder, and its environment.
 *
 * @param parent null: the folder for temporary files
 * @param environment variables of the process in addition to this JVM's
 */
public record Place(int port, Path parent, Map<String, String> environment) {

    /** A free port, the folder for temporary files, nothing in the environment. */
    public static Place anywhere() {
        return new Place(Ports.free(), null, Map.of());
    }

    Path newFolder(String prefix) {
        try {
            return parent == null ? Files.createTempDirectory(prefix)
                    : Files.createTempDirectory(parent, prefix);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
