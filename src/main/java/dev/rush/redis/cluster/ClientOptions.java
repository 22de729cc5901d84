package dev.rush.redis.cluster;

import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.vertx.core.net.NetClientOptions;
import io.vertx.redis.client.RedisOptions;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The options that Quarkus derives from {@code quarkus.redis.*}: hosts, user, password, TLS,
 * timeouts. They are captured when Quarkus creates its own client, which is before any of our beans
 * start.
 *
 * <p>With TLS a certificate must name the requested host, unless the configuration says {@code
 * NONE}. Quarkus and Vert.x check only the authority, so any holder of a certificate from it could
 * impersonate Redis.
 */
@Singleton
class ClientOptions implements RedisOptionsCustomizer {

    private static final Logger LOG = Logger.getLogger(ClientOptions.class);
    private static final String TLS_CONFIGURATION = "quarkus.redis.tls-configuration-name";
    private static final String ALGORITHM = "hostname-verification-algorithm";
    private static final String VERIFY = "HTTPS";
    private static final String DO_NOT_VERIFY = "NONE";

    private volatile @Nullable RedisOptions options;

    @Override
    public void customize(String clientName, RedisOptions derived) {
        RedisOptions copy = new RedisOptions(derived);
        NetClientOptions net = new NetClientOptions(derived.getNetClientOptions());
        if (derived.getEndpoints().stream().anyMatch(host -> host.startsWith("rediss:"))) {
            net.setSsl(true);
        }
        if (net.isSsl()) {
            verifyHosts(net, ConfigProvider.getConfig());
        }
        options = copy.setNetClientOptions(net);
    }

    private static void verifyHosts(NetClientOptions net, Config config) {
        String property = config.getOptionalValue(TLS_CONFIGURATION, String.class)
                .map(name -> "quarkus.tls." + name + "." + ALGORITHM)
                .orElse("quarkus.redis.tls." + ALGORITHM);
        boolean verify = config.getOptionalValue(property, String.class)
                .filter(DO_NOT_VERIFY::equalsIgnoreCase).isEmpty();
        net.setHostnameVerificationAlgorithm(verify ? VERIFY : "");
        if (!verify || net.isTrustAll()) {
            LOG.warnf("REDIS IS NOT VERIFIED (%s): any server at its address is trusted",
                    verify ? "trust-all" : property + "=" + DO_NOT_VERIFY);
        }
    }

    RedisOptions get() {
        if (options == null) {
            throw new IllegalStateException("quarkus.redis.hosts is not configured");
        }
        return options;
    }
}
