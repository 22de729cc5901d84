package dev.rush;

import java.util.Map;
import java.util.Set;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.jspecify.annotations.Nullable;

/**
 * Defaults that depend on where the service runs; any other source of configuration wins. One event
 * loop per CPU, even if there is only one: with fewer queues for the same crowd, each script call
 * carries more requests.
 */
public class RuntimeDefaults implements ConfigSource {

    private static final String EVENT_LOOPS = "quarkus.vertx.event-loops-pool-size";
    /** Overrides only the values that the build recorded on its own machine, which have 0. */
    private static final int BELOW_ALL_OTHERS = 1;

    @Override
    public Set<String> getPropertyNames() {
        return Set.of(EVENT_LOOPS);
    }

    @Override
    public Map<String, String> getProperties() {
        return Map.of(EVENT_LOOPS, eventLoops());
    }

    @Override
    public @Nullable String getValue(String name) {
        return EVENT_LOOPS.equals(name) ? eventLoops() : null;
    }

    @Override
    public String getName() {
        return "Rush runtime defaults";
    }

    @Override
    public int getOrdinal() {
        return BELOW_ALL_OTHERS;
    }

    private static String eventLoops() {
        return Integer.toString(Runtime.getRuntime().availableProcessors());
    }
}
