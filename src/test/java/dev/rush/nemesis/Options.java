package dev.rush.nemesis;

import java.time.Duration;

/**
 * The parameters of a run.
 *
 * @param seed determines the faults and the clients' random choices
 * @param length how long faults are injected
 * @param faults as in {@link dev.rush.nemesis.fault.Faults#of}
 * @param clients how many clients call concurrently
 * @param durability the pods' {@code rush.durability}
 */
record Options(long seed, Duration length, String faults, int clients, String durability) {

    /** Reads {@code nemesis.seed}, {@code .seconds}, {@code .faults} and so on. */
    static Options fromProperties() {
        String seed = System.getProperty("nemesis.seed", "");
        return new Options(
                seed.isEmpty() ? System.currentTimeMillis() : Long.parseLong(seed),
                Duration.ofSeconds(Integer.getInteger("nemesis.seconds", 300)),
                System.getProperty("nemesis.faults", "all"),
                Integer.getInteger("nemesis.clients", 24),
                System.getProperty("nemesis.durability", "redis"));
    }

    /** Returns the command that repeats the run. */
    String command() {
        return "./mvnw -Pnemesis -Dnemesis.seed=" + seed + " -Dnemesis.seconds="
                + length.toSeconds() + " -Dnemesis.faults=" + faults + " -Dnemesis.clients="
                + clients + " -Dnemesis.durability=" + durability;
    }
}
