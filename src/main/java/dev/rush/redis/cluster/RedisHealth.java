package dev.rush.redis.cluster;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Ready once the pod has reached any master of Redis; {@code cause} says why it has not, or which
 * master does not answer now. Afterwards Redis's state is the metric {@code rush_redis_reachable}
 * and no reason to leave the rotation: all pods would leave at once. Started is whoever serves
 * HTTP: a restart mends no Redis. A pod that does not know the layout of any data is not ready
 * either, as it can serve nobody; other pods may. The check reads some fields, so it never waits.
 *
 * <p>What else a pod needs before it may sell is a {@link Readiness} check of its own, in the
 * package that knows.
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
