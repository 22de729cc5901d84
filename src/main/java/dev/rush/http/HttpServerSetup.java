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

/** What the HTTP server accepts at all. */
@Singleton
public class HttpServerSetup implements HttpServerOptionsCustomizer {

    private static final int BEFORE_ANY_CONNECTION = 1;

    private final HttpConfig config;

    @Inject
    HttpServerSetup(RushConfig config) {
        this.config = config.http();
    }

    /** Netty looks once, with its first connection, whether there are extensions. */
    void loadExtensions(@Observes @Priority(BEFORE_ANY_CONNECTION) StartupEvent event) {
        System.setProperty(ChannelInitializerExtension.EXTENSIONS_SYSTEM_PROPERTY, "serviceload");
    }

    @Override
    public void customizeHttpServer(HttpServerOptions options) {
        // HTTP/2 is for browsers, hence for TLS, which the ingress ends; here it only adds holes.
        options.setHttp2ClearTextEnabled(false);
        ConnectionGuard.use(options, config);
    }
}
