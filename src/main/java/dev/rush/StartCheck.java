package dev.rush;

import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/**
 * Fails a start whose settings cannot work or would trust any caller, before anything else begins.
 * One line lists all errors.
 */
class StartCheck {

    /** With this value, the token verifier accepts any issuer. */
    private static final String ANY_ISSUER = "NONE";
    private static final String SOCKET_TIMEOUT =
            "quarkus.datasource.jdbc.additional-jdbc-properties.socketTimeout";

    void check(@Observes @Priority(1) StartupEvent event, RushConfig config, Config settings) {
        List<String> broken = new ArrayList<>(Limits.broken(config, Duration.ofSeconds(
                settings.getOptionalValue(SOCKET_TIMEOUT, Long.class).orElse(0L))));
        stores(config, settings, broken);
        if (LaunchMode.current() == LaunchMode.NORMAL) {
            identity(config, settings, broken);
        }
        if (!broken.isEmpty()) {
            throw new ConfigurationException(String.join("; ", broken));
        }
    }

    private static void stores(RushConfig config, Config settings, List<String> broken) {
        require(isSet(settings, "quarkus.redis.hosts"), broken, "Rush needs Redis: set "
                + "quarkus.redis.hosts (QUARKUS_REDIS_HOSTS), for example redis://localhost:6379");
        RushConfig.Sink sink = config.orders().sink();
        require(!sink.queues() || isSet(settings, "kafka.bootstrap.servers"), broken,
                "rush.orders.sink=" + name(sink) + " needs kafka.bootstrap.servers "
                + "(KAFKA_BOOTSTRAP_SERVERS), for example kafka-1:9092,kafka-2:9092");
        require(!sink.stores() || isSet(settings, "quarkus.datasource.jdbc.url"),
                broken, "Rush needs a ledger: set quarkus.datasource.jdbc.url "
                + "(QUARKUS_DATASOURCE_JDBC_URL), or rush.orders.sink=none or kafka to go without");
        durability(config, settings, broken);
    }

    private static void durability(RushConfig config, Config settings, List<String> broken) {
        RushConfig.Durability level = config.durability();
        require(level != RushConfig.Durability.LEDGER || config.orders().sink().stores(), broken,
                "rush.durability=ledger needs a ledger: set rush.orders.sink=postgres or both");
        boolean isCluster = settings.getOptionalValue("quarkus.redis.client-type", String.class)
                .filter("cluster"::equals).isPresent();
        require(level != RushConfig.Durability.REPLICAS || isCluster
                || config.durabilityReplicas() > 0, broken,
                "rush.durability=replicas needs rush.durability.replicas on a single Redis, which "
                + "does not know how many replicas have failed");
    }

    /**
     * In production, identity by header needs two settings, so that no accident enables it.
     */
    private static void identity(RushConfig config, Config settings, List<String> broken) {
        if (config.identity() == RushConfig.Identity.HEADER) {
            require(config.trustIdentityHeader(), broken, "rush.identity=header trusts every "
                    + "caller: set rush.trust-identity-header=true (RUSH_TRUST_IDENTITY_HEADER) "
                    + "only where a gateway sets and strips X-User-Id and X-User-Roles");
            return;
        }
        require(isSet(settings, "mp.jwt.verify.issuer")
                && !ANY_ISSUER.equals(settings.getValue("mp.jwt.verify.issuer", String.class)),
                broken, "rush.identity=token needs the issuer of the tokens: set "
                + "mp.jwt.verify.issuer (MP_JWT_VERIFY_ISSUER)");
        require(isSet(settings, "mp.jwt.verify.audiences"), broken, "rush.identity=token needs the "
                + "audience of the tokens: set mp.jwt.verify.audiences (MP_JWT_VERIFY_AUDIENCES)");
    }

    /** Whether a setting has at least one value that is not blank. */
    private static boolean isSet(Config settings, String name) {
        Optional<List<String>> values = settings.getOptionalValues(name, String.class);
        return values.isPresent() && values.get().stream().anyMatch(value -> !value.isBlank());
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static void require(boolean holds, List<String> broken, String otherwise) {
        if (!holds) {
            broken.add(otherwise);
        }
    }
}
