package dev.rush.http;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.ext.Provider;
import java.util.Set;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestFilter;

/** Sends each call that changes something through {@link Bodies} first. */
@Provider
@Singleton
@Priority(Priorities.AUTHENTICATION)
public class BodyFilter implements ResteasyReactiveContainerRequestFilter {

    /** Methods whose calls all need an identity. */
    private static final Set<String> CHANGES = Set.of("POST", "PUT", "PATCH", "DELETE");

    /** Lazy, because filters are created while the executable is built, without a configuration. */
    private final Instance<Bodies> bodies;

    @Inject
    BodyFilter(Instance<Bodies> bodies) {
        this.bodies = bodies;
    }

    @Override
    public void filter(ResteasyReactiveContainerRequestContext context) {
        if (CHANGES.contains(context.getMethod())) {
            bodies.get().await(context);
        }
    }
}
