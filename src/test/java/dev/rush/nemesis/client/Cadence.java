package dev.rush.nemesis.client;

/** Says whether clients go on. */
@FunctionalInterface
interface Cadence {
    boolean next();
}
