package dev.rush.http;

import dev.rush.HttpConfig;
import dev.rush.RushConfig;
import io.netty.bootstrap.ChannelInitializerExtension;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/** Options of the HTTP server. */
@Singleton
public class HttpServerSetup implements HttpServerOptionsCustomizer {

    private static final int BEFORE_ANY_CONNECTION = 1;

    private final HttpConfig config;

    @Inject
    HttpServerSetup(RushConfig config) {
        this.config = config.http();
    }

    /** Netty looks for extensions once, with its first connection. */
    void loadExtensions(@Observes @Priority(BEFORE_ANY_CONNECTION) StartupEvent event) {
        System.setProperty(ChannelInitializerExtension.EXTENSIONS_SYSTEM_PROPERTY, "serviceload");
    }

    @Override
    public void customizeHttpServer(HttpServerOptions options) {
        // Browsers use HTTP/2 only with TLS, which the ingress terminates; here it only adds attack
        // surface.
        options.setHttp2ClearTextEnabled(false);
        ConnectionGuard.use(options, config);
    }
}
