package dev.rush.testing;

/** A scene that shows a promise. It fails by throwing. */
@FunctionalInterface
public interface Scene {

    /** Plays it once, with its own ids. */
    void play() throws Exception;
}
