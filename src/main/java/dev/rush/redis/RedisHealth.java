package dev.rush.redis;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;
import org.eclipse.microprofile.health.Startup;

/**
 * Started and ready once the pod has reached Redis. Afterwards Redis's state is the metric
 * {@code rush_redis_reachable} and no reason to leave the rotation: all pods would leave at once.
 * The check reads one field, so it never waits.
 */
@Startup
@Readiness
@Singleton
class RedisHealth implements HealthCheck {

    private final RedisStartup startup;

    @Inject
    RedisHealth(RedisStartup startup) {
        this.startup = startup;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("redis reached once").status(startup.isReached()).build();
    }
}
