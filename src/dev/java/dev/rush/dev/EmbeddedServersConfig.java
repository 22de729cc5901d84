package dev.rush.dev;

import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.PropertiesConfigSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.eclipse.microprofile.config.spi.ConfigSource;

/**
 * In dev mode and in tests, points the service at embedded servers unless it is configured
 * otherwise, and takes the caller from a header. A server starts when its address is first read,
 * which is before any client starts.
 */
public final class EmbeddedServersConfig implements ConfigSourceFactory {
    /** Below application.properties (250): whatever the user configures wins. */
    private static final int ORDINAL = 50;

    @Override
    public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
        List<String> profiles = context.getProfiles();
        boolean wanted = profiles.contains("dev") || profiles.contains("test");
        return wanted ? List.of(new Addresses(), new DevMode()) : List.of();
    }

    /**
     * In dev mode a header names the caller, buyers confirm their orders, and the demo and the
     * console are served. These settings are in no profile of application.properties, because the
     * production build reads that file, too: there, setting {@code QUARKUS_PROFILE} would make
     * everybody an operator.
     */
    private static final class DevMode extends PropertiesConfigSource {
        private static final long serialVersionUID = 1L;

        DevMode() {
            super(Map.of("rush.identity", "header", "rush.confirm-by", "buyer",
                    "rush.demo.enabled", "true", "rush.console.enabled", "true"),
                    "dev mode", ORDINAL);
        }
    }

    private static final class Addresses implements ConfigSource {
        private static final Map<String, Supplier<String>> SERVERS = Map.of(
                "quarkus.redis.hosts", EmbeddedServers::redis,
                "quarkus.datasource.jdbc.url", EmbeddedServers::ledger);

        @Override
        public String getName() {
            return "embedded servers";
        }

        @Override
        public int getOrdinal() {
            return ORDINAL;
        }

        @Override
        public Set<String> getPropertyNames() {
            return SERVERS.keySet();
        }

        @Override
        public String getValue(String property) {
            Supplier<String> server = SERVERS.get(property);
            return server == null ? null : server.get();
        }
    }
}
