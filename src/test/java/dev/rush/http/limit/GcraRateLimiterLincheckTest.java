package dev.rush.http.limit;

import dev.rush.testing.Interleavings;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * X5: requests of a user on several threads take tokens as if they had come one after the other, in
 * whatever order their clocks were read.
 */
@Param(name = "user", gen = IntGen.class, conf = "0:1")
@Param(name = "now", gen = IntGen.class, conf = "0:3")
public class GcraRateLimiterLincheckTest {
    /** Two tokens, and one more per unit of time. */
    private final GcraRateLimiter limiter = new GcraRateLimiter(1_000_000_000, 2, 64);

    /** One request at a time. */
    @Operation
    public long take(@Param(name = "user") int user, @Param(name = "now") int now) {
        return limiter.take("user-" + user, now);
    }

    @Test
    void requestsOnManyThreadsTakeTokensOneByOne() {
        Interleavings.check(getClass());
    }
}
