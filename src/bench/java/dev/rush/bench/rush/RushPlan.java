package dev.rush.bench.rush;

import java.net.URI;

/**
 * A rush on one sale or one rain.
 *
 * @param url of the service, for example {@code http://localhost:8080}
 * @param kind what they rush for
 * @param id of the sale or rain, which must be new
 * @param buyers users who each try once
 * @param units units of the sale, or envelopes of the rain
 * @param clients connections; each sends the next buyer's request when it has its answer
 * @param keys whether each request carries an Idempotency-Key
 * @param pace buyers a second; 0: as fast as they are answered
 * @param host the name that an ingress knows the service by
 */
public record RushPlan(URI url, Kind kind, String id, int buyers, int units, int clients,
        boolean keys, int pace, String host) {
    private static final int COUNT_MAX = 100_000_000;

    /** What they rush for. */
    public enum Kind {
        /** Units of a sale. */
        PURCHASE,
        /** Envelopes of a rain. */
        GRAB
    }

    /** A plan; refuses what cannot be run. */
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

    /** A rush on a service that is reached by its own name, as fast as it answers. */
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
                given("rush.id", "rush-" + System.currentTimeMillis()),
                Integer.getInteger("rush.buyers", 20_000), Integer.getInteger("rush.units", 500),
                Integer.getInteger("rush.clients", 256), Boolean.getBoolean("rush.keys"),
                Integer.getInteger("rush.pace", 0), given("rush.host", url.getAuthority()));
    }

    /** A property that Maven passes on empty when nobody set it. */
    private static String given(String name, String otherwise) {
        String value = System.getProperty(name, "");
        return value.isEmpty() ? otherwise : value;
    }

    /** The path of the sale or rain. */
    String path() {
        return (kind == Kind.PURCHASE ? "/v1/sales/" : "/v1/rains/") + id;
    }

    private static void bounded(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException(name + " must be 1 to " + max + ", not " + value);
        }
    }
}
