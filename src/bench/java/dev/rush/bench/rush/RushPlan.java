package dev.rush.bench.rush;

import java.net.URI;

/**
 * A rush on one sale or rain.
 *
 * @param url the service, for example {@code http://localhost:8080}
 * @param kind what buyers want
 * @param id the sale or rain, which must be new
 * @param buyers users, who each try once
 * @param units units of the sale, or envelopes of the rain
 * @param clients connections; each sends its next request after the answer to the last
 * @param keys whether each request carries an Idempotency-Key
 * @param pace buyers per second; 0: as fast as they are answered
 * @param host the Host header, by which an ingress routes
 */
public record RushPlan(URI url, Kind kind, String id, int buyers, int units, int clients,
        boolean keys, int pace, String host) {
    private static final int COUNT_MAX = 100_000_000;

    /** What buyers want. */
    public enum Kind {
        /** Units of a sale. */
        PURCHASE,
        /** Envelopes of a rain. */
        GRAB
    }

    /** Throws IllegalArgumentException if the URL or a number is out of bounds. */
    public RushPlan {
        if (!"http".equals(url.getScheme()) || url.getHost() == null) {
            throw new IllegalArgumentException("rush.url must be http://host:port, not " + url);
        }
        bounded("rush.buyers", buyers, COUNT_MAX);
        bounded("rush.units", units, COUNT_MAX);
        bounded("rush.clients", clients, 50_000);
        if (pace < 0) {
            throw new IllegalArgumentException("rush.pace must be 0 or more, not " + pace);
        }
    }

    /** Creates a plan without a pace or an ingress. */
    public RushPlan(URI url, Kind kind, String id, int buyers, int units, int clients,
            boolean keys) {
        this(url, kind, id, buyers, units, clients, keys, 0, url.getAuthority());
    }

    /** The plan that the system properties {@code rush.*} describe. */
    static RushPlan ofProperties() {
        Kind kind = switch (System.getProperty("rush.kind", "purchase")) {
            case "purchase" -> Kind.PURCHASE;
            case "grab" -> Kind.GRAB;
            default -> throw new IllegalArgumentException("rush.kind must be purchase or grab");
        };
        URI url = URI.create(System.getProperty("rush.url", "http://localhost:8080"));
        return new RushPlan(url, kind,
                property("rush.id", "rush-" + System.currentTimeMillis()),
                Integer.getInteger("rush.buyers", 20_000), Integer.getInteger("rush.units", 500),
                Integer.getInteger("rush.clients", 256), Boolean.getBoolean("rush.keys"),
                Integer.getInteger("rush.pace", 0), property("rush.host", url.getAuthority()));
    }

    /** Reads a property, which Maven passes on empty if it is not set. */
    private static String property(String name, String fallback) {
        String value = System.getProperty(name, "");
        return value.isEmpty() ? fallback : value;
    }

    /** Returns the path of the sale or rain. */
    String path() {
        return (kind == Kind.PURCHASE ? "/v1/sales/" : "/v1/rains/") + id;
    }

    private static void bounded(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException(name + " must be 1 to " + max + ", not " + value);
        }
    }
}
