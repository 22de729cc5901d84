package dev.rush.nemesis;

import java.time.Duration;

/**
 * What a run is to be.
 *
 * @param seed what the faults and the clients' choices follow from
 * @param length how long faults go on
 * @param faults as {@link dev.rush.nemesis.fault.Faults#of} takes them
 * @param clients how many call at once
 * @param durability the pods' {@code rush.durability}
 */
record Options(long seed, Duration length, String faults, int clients, String durability) {

    /** Reads {@code nemesis.seed}, {@code .seconds}, {@code .faults} and so on. */
    static Options ofProperties() {
        String seed = System.getProperty("nemesis.seed", "");
        return new Options(
                seed.isEmpty() ? System.currentTimeMillis() : Long.parseLong(seed),
                Duration.ofSeconds(Integer.getInteger("nemesis.seconds", 300)),
                System.getProperty("nemesis.faults", "all"),
                Integer.getInteger("nemesis.clients", 24),
                System.getProperty("nemesis.durability", "redis"));
    }

    /** The command that repeats it. */
    String command() {
        return "./mvnw -Pnemesis -Dnemesis.seed=" + seed + " -Dnemesis.seconds="
                + length.toSeconds() + " -Dnemesis.faults=" + faults + " -Dnemesis.clients="
                + clients + " -Dnemesis.durability=" + durability;
    }
}
