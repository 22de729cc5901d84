package dev.rush.testing;

/** A scene that shows a promise. It fails by throwing. */
@FunctionalInterface
public interface Scene {

    /** Plays it once; it uses ids of its own. */
    void play() throws Exception;
}
