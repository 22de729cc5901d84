package dev.rush.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** S2: however Redis names a node, the name is parsed or refused, and never throws. */
class EndpointTest {

    private static final Endpoint ASKED = new Endpoint("10.0.0.9", 7000);

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:7001, 127.0.0.1, 7001, 127.0.0.1:7001",
        "redis-0.redis:6379, redis-0.redis, 6379, redis-0.redis:6379",
        "::1:7001, ::1, 7001, [::1]:7001",
        "[::1]:7001, ::1, 7001, [::1]:7001",
        "2001:db8::42:7001, 2001:db8::42, 7001, [2001:db8::42]:7001",
        ":7001, 10.0.0.9, 7001, 10.0.0.9:7001",
        "?:7001, 10.0.0.9, 7001, 10.0.0.9:7001",
    })
    void endpointsAreParsed(String text, String host, int port, String written) {
        assertThat(Endpoint.parse(text, ASKED)).hasValueSatisfying(endpoint -> {
            assertThat(endpoint.host()).isEqualTo(host);
            assertThat(endpoint.port()).isEqualTo(port);
            assertThat(endpoint).hasToString(written);
            assertThat(Endpoint.parse(written, null)).contains(endpoint);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", "?", "host", "host:", "host:0", "host:65536", "host:-1",
        "host:7x", "host:999999999999", "ho st:7001", "user@host:7001", "[::1:7001", "a/b:7001",
        "[]:7001", "[host]:7001", "::g:7001", "redis_1:7001", "host#:7001"})
    void malformedEndpointIsRefused(String text) {
        assertThat(Endpoint.parse(text, ASKED)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {":7001", "?:7001"})
    void unknownHostNeedsTheNodeThatAnswered(String text) {
        assertThat(Endpoint.parse(text, null)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"MOVED", "MOVED 1", "MOVED 1 ", "ASK 1 nonsense", "MOVED 1 host:x"})
    void malformedRedirectionHasNoEndpoint(String error) {
        assertThat(ErrorReplies.redirection(error, ASKED)).isEmpty();
    }

    @Test
    void noTextThrows() {
        long seed = Long.getLong("rush.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(16); length > 0; length--) {
                text.append("a1.:[]?-_%/@ é:06".charAt(random.nextInt(17)));
            }
            Optional<Endpoint> read = Endpoint.parse(text.toString(), ASKED);
            assertThat(read.flatMap(endpoint -> Endpoint.parse(endpoint.toString(), null)))
                    .as("seed %d, text '%s'", seed, text).isEqualTo(read);
        }
    }
}
