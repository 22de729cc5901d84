package dev.rush.rain;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rush.RushConfig.Durability;
import dev.rush.http.Json;
import dev.rush.http.ProblemException;
import dev.rush.http.Refusals;
import dev.rush.http.Texts;
import dev.rush.offer.Durabilities;
import java.io.IOException;
import java.util.Arrays;

/**
 * A rain's body is refused as {@code invalid-request}, or becomes a definition that Redis gives
 * back as it was, and whose envelopes add up.
 */
class RainBodyFuzzTest {
    private static final Json JSON = new Json();
    private static final Durabilities DURABILITIES = new Durabilities(Durability.REDIS, true, true);
    /** Larger splits take too long to make one for every input. */
    private static final int SPLIT_MAX = 2_000;

    @FuzzTest(maxDuration = "1m")
    void bodyIsRefusedOrMeansARainThatAddsUp(byte[] body) throws IOException {
        RainRequest request;
        RainDefinition rain;
        try {
            request = JSON.read(body, RainRequest.class);
            rain = RainDefinition.of("a-rain", request, DURABILITIES);
        } catch (ProblemException refused) {
            Refusals.check(refused);
            return;
        }
        assertThat(Texts.isPrintable(rain.title())).isTrue();
        assertThat(rain.title().length()).isLessThanOrEqualTo(200);
        assertThat(JSON.read(JSON.write(rain), RainDefinition.class)).isEqualTo(rain);
        assertThat(rain.limitPerUser()).isBetween(1L, 100L);
        var named = new ObjectMapper().readTree(body);
        assertThat(rain.startsAt() == 0).isEqualTo(!named.hasNonNull("startsAt"));
        assertThat(rain.endsAt() == 0).isEqualTo(!named.hasNonNull("endsAt"));
        if (rain.count() > SPLIT_MAX) {
            return;
        }
        Long seed = request.envelopes().seed();
        long[] amounts = rain.amounts(request.envelopes().amounts(), seed == null ? 7 : seed);
        assertThat(amounts).hasSize(rain.count());
        assertThat(Arrays.stream(amounts).sum()).isEqualTo(rain.amount());
        assertThat(Arrays.stream(amounts).min().orElseThrow())
                .isGreaterThanOrEqualTo(Math.max(1, rain.min()));
    }
}
