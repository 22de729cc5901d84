package dev.rush.offer;

import dev.rush.RushConfig;
import dev.rush.RushConfig.Durability;
import dev.rush.http.Violations;
import dev.rush.redis.cluster.Replication;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The durability levels of the service and of each sale and rain: when purchases and grabs are
 * answered.
 */
@Singleton
public class Durabilities {

    private final Durability service;
    private final boolean replicable;
    private final boolean stored;

    @Inject
    Durabilities(RushConfig config, Replication replication) {
        this(config.durability(), replication.isPossible(), config.orders().sink().stores());
    }

    /**
     * Creates the levels of a service.
     *
     * @param service    its default, which is the minimum for all sales and rains
     * @param replicable whether replicas can be waited for
     * @param stored     whether there is a ledger that can be waited for
     */
    public Durabilities(Durability service, boolean replicable, boolean stored) {
        this.service = service;
        this.replicable = replicable;
        this.stored = stored;
    }

    /**
     * The level that a definition requests. It stays empty if the request named none: then the
     * service's level applies, even after that changes.
     */
    public @Nullable String requested(@Nullable String text, Violations violations) {
        if (text == null) {
            return null;
        }
        Durability level = find(text);
        if (level == null) {
            violations.require(false, "durability", "must be redis, replicas or ledger");
            return null;
        }
        violations.require(level != Durability.LEDGER || stored, "durability",
                "ledger needs PostgreSQL, and this service runs without it (rush.orders.sink)");
        violations.require(level.compareTo(service) >= 0, "durability",
                "must not be weaker than the service's, which is " + text(service));
        violations.require(level != Durability.REPLICAS || replicable, "durability",
                "replicas needs rush.durability.replicas on a single Redis");
        return text;
    }

    /** The effective level for a requested one: never weaker than the service's. */
    public Durability of(@Nullable String requested) {
        Durability level = requested == null ? service : find(requested);
        return level == null || level.compareTo(service) < 0 ? service : level;
    }

    /** The strongest possible level, for a sale whose own level cannot be read. */
    public Durability strongest() {
        return replicable ? Durability.REPLICAS : service;
    }

    /** A level as spelled in requests and answers. */
    public static String text(Durability level) {
        return level.name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable Durability find(String text) {
        for (Durability level : Durability.values()) {
            if (text(level).equals(text)) {
                return level;
            }
        }
        return null;
    }
}
