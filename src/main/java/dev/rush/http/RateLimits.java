package dev.rush.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.RushConfig;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A token bucket per user on this pod, for purchases, grabs and returns. Operators are exempt.
 * The headers are those of draft-ietf-httpapi-ratelimit-headers.
 */
@Singleton
public class RateLimits {

    private final boolean enabled;
    private final long burst;
    private final String policy;
    private final Bandwidth bandwidth;
    private final Cache<String, Bucket> buckets;

    @Inject
    RateLimits(RushConfig config) {
        RushConfig.RateLimit limit = config.rateLimit();
        enabled = limit.enabled();
        burst = limit.burst();
        policy = "\"user\";q=%d;w=%d".formatted(burst,
                Math.max(1, (burst + limit.perSecond() - 1) / limit.perSecond()));
        bandwidth = Bandwidth.builder().capacity(burst)
                .refillGreedy(limit.perSecond(), Duration.ofSeconds(1)).build();
        // A crowd of new users is an entry each: what keeps the map small runs with the request,
        // because waking another thread for it costs more.
        buckets = Caffeine.newBuilder().maximumSize(limit.users()).executor(Runnable::run)
                .build();
    }

    /** Null when the caller may go on, else the refusal. */
    Response refusal(Caller caller) {
        if (!enabled || caller.operator()) {
            return null;
        }
        Bucket bucket = buckets.get(caller.user(),
                user -> Bucket.builder().addLimit(bandwidth).build());
        if (bucket.tryConsume(1)) {
            return null;
        }
        long nanos = bucket.estimateAbilityToConsume(1).getNanosToWaitForRefill();
        int seconds = (int) TimeUnit.NANOSECONDS.toSeconds(nanos + 999_999_999L);
        int wait = Math.max(1, seconds);
        return Problem.retryable(Word.RATE_LIMITED, Word.RATE_LIMITED.title() + ".",
                Map.of("retryAfter", wait), wait).builder()
                .header("RateLimit-Policy", policy)
                .header("RateLimit", "\"user\";r=0;t=" + wait)
                .build();
    }
}
