package dev.rush.http;

import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.vertx.ext.web.Router;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/**
 * While this pod shuts down, each answer closes its connection, so that clients with keep-alive
 * connections send their next request to another pod before this one refuses requests and ends.
 */
@Singleton
public class GracefulShutdown {

    private static final int BEFORE_EVERYTHING = -2_000_000;

    private volatile boolean begun;

    /** Called on SIGTERM; requests are still answered for {@code quarkus.shutdown.delay}. */
    void begin(@Observes ShutdownDelayInitiatedEvent event) {
        begun = true;
    }

    void install(@Observes Router router) {
        router.route().order(BEFORE_EVERYTHING).handler(context -> {
            if (begun) {
                context.response().putHeader("Connection", "close");
            }
            context.next();
        });
    }
}
