package dev.rush.dev;

import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.eclipse.microprofile.config.spi.ConfigSource;

/**
 * In dev mode and in tests, points the service at embedded servers wherever it is not configured
 * otherwise. A server starts when its address is first read, which is before any client starts.
 */
public final class EmbeddedServersConfig implements ConfigSourceFactory {
    @Override
    public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
        List<String> profiles = context.getProfiles();
        boolean wanted = profiles.contains("dev") || profiles.contains("test");
        return wanted ? List.of(new Addresses()) : List.of();
    }

    private static final class Addresses implements ConfigSource {
        private static final Map<String, Supplier<String>> SERVERS = Map.of(
                "quarkus.redis.hosts", EmbeddedServers::redis,
                "quarkus.datasource.jdbc.url", EmbeddedServers::ledger);

        @Override
        public String getName() {
            return "embedded servers";
        }

        /** Below application.properties (250): with an address of the user, nobody asks here. */
        @Override
        public int getOrdinal() {
            return 50;
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
