package dev.rush;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Ends a start that cannot work, before anything else begins, with one line that says why. */
class StartCheck {

    void check(@Observes @Priority(1) StartupEvent event, RushConfig config,
            @ConfigProperty(name = "quarkus.redis.hosts") Optional<String> redisHosts,
            @ConfigProperty(name = "quarkus.datasource.jdbc.url") Optional<String> ledgerUrl) {
        List<String> broken = Limits.broken(config);
        require(broken.isEmpty(), String.join("; ", broken));
        require(redisHosts.isPresent(), "Rush needs Redis: set quarkus.redis.hosts "
                + "(QUARKUS_REDIS_HOSTS), for example redis://localhost:6379");
        RushConfig.Sink sink = config.orders().sink();
        require(sink == RushConfig.Sink.NONE || sink == RushConfig.Sink.POSTGRES,
                "rush.orders.sink=" + name(sink) + " is not there yet; use postgres or none");
        require(sink == RushConfig.Sink.NONE || ledgerUrl.isPresent(),
                "Rush needs a ledger: set quarkus.datasource.jdbc.url "
                + "(QUARKUS_DATASOURCE_JDBC_URL), or rush.orders.sink=none to go without");
        require(config.durability() == RushConfig.Durability.REDIS,
                "rush.durability=" + name(config.durability()) + " is not there yet; use redis");
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ConfigurationException(otherwise);
        }
    }
}
