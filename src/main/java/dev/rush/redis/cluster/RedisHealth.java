package dev.rush.redis.cluster;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Ready once the pod has reached any master of Redis; {@code cause} says why it has not, or which
 * master does not answer now. Afterwards Redis's state affects only the metric {@code
 * rush_redis_reachable}, not readiness, because all pods would become unready at once. A pod counts
 * as started once it serves HTTP, because a restart does not repair Redis. A pod that supports the
 * layout of no data is not ready either, because it can serve no request, while other pods may. The
 * check only reads fields, so it never waits.
 *
 * <p>Other conditions for selling are separate {@link Readiness} checks in the responsible
 * packages.
 */
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
        HealthCheckResponseBuilder answer = HealthCheckResponse.named("redis reached once")
                .status(startup.isReached() && !startup.refusesAll());
        String cause = startup.refusesAll() ? "the layout of its data is not known"
                : startup.cause();
        return (cause.isEmpty() ? answer : answer.withData("cause", cause)).build();
    }
}
