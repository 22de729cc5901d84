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
 * In dev mode and in tests, points the service at embedded servers wherever it is not configured
 * otherwise, and lets a header say who calls. A server starts when its address is first read, which
 * is before any client starts.
 */
public final class EmbeddedServersConfig implements ConfigSourceFactory {
    /** Below application.properties (250): whatever the user configures wins. */
    private static final int ORDINAL = 50;

    @Override
    public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
        List<String> profiles = context.getProfiles();
        boolean wanted = profiles.contains("dev") || profiles.contains("test");
        return wanted ? List.of(new Addresses(), new Visitors()) : List.of();
    }

    /**
     * In dev mode a header says who calls, buyers confirm, and the demonstration and the console
     * are served. It is here and in no profile of application.properties, which the production
     * build reads too: there, somebody who sets {@code QUARKUS_PROFILE} would make everybody an
     * operator.
     */
    private static final class Visitors extends PropertiesConfigSource {
        private static final long serialVersionUID = 1L;

        Visitors() {
            super(Map.of("rush.identity", "header", "rush.confirm-by", "buyer",
                    "rush.demo.enabled", "true", "rush.console.enabled", "true"),
                    "visitors of dev mode", ORDINAL);
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
