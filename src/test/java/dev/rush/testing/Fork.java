package dev.rush.testing;

import java.nio.file.Path;

/** This JVM among those in which tests run in parallel ({@code test.forks} in pom.xml). */
public final class Fork {
    /** From 1; 0 if tests run in one JVM, as in an IDE. */
    private static final int NUMBER = Integer.getInteger("rush.fork", 0);

    private Fork() {
    }

    /** A folder of this name below {@code target} into which no other JVM writes. */
    public static Path folder(String name) {
        return Path.of("target", NUMBER == 0 ? name : name + "-" + NUMBER);
    }
}
