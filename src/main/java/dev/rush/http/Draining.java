package dev.rush.http;

import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.vertx.ext.web.Router;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/**
 * Once this pod is told to stop, each answer asks for its connection to be closed. Whoever keeps
 * connections then takes the next request to another pod; a connection that stayed would find this
 * one refusing, and then gone.
 */
@Singleton
public class Draining {

    private static final int BEFORE_EVERYTHING = -2_000_000;

    private volatile boolean begun;

    /** Comes with SIGTERM; for {@code quarkus.shutdown.delay} requests are still answered. */
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
