package dev.rush.dev;

import java.util.function.Supplier;

/**
 * The embedded servers of this JVM, each started on first use.
 *
 * <p>A live reload replaces the classes of the service, this one too, but not the servers: their
 * addresses are kept in system properties, which every class loader shares.
 */
final class EmbeddedServers {
    private static final String REDIS = "dev.rush.embedded.redis";
    private static final String LEDGER = "dev.rush.embedded.ledger";

    private EmbeddedServers() {
    }

    /** Returns the URL of the embedded Redis. */
    static String redis() {
        return startedOnce(REDIS, () -> EmbeddedRedis.start().url());
    }

    /** Returns the JDBC URL of the embedded PostgreSQL. */
    static String ledger() {
        return startedOnce(LEDGER, () -> EmbeddedLedger.start().url("postgres"));
    }

    private static String startedOnce(String property, Supplier<String> start) {
        // All class loaders share this lock, as they share the properties that it guards.
        synchronized (System.getProperties()) {
            String address = System.getProperty(property);
            if (address == null) {
                address = start.get();
                System.setProperty(property, address);
            }
            return address;
        }
    }
}
