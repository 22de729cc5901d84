package dev.rush.http.limit;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/** A pod is ready only with the blocklist, because it must not sell without it. */
@Readiness
@Singleton
class BlocklistHealth implements HealthCheck {

    private final Blocklist blocklist;

    @Inject
    BlocklistHealth(Blocklist blocklist) {
        this.blocklist = blocklist;
    }

    @Override
    public HealthCheckResponse call() {
        HealthCheckResponseBuilder answer = HealthCheckResponse.named("blocklist loaded once")
                .status(blocklist.isLoaded());
        String cause = blocklist.cause();
        return (cause.isEmpty() ? answer : answer.withData("cause", cause)).build();
    }
}
