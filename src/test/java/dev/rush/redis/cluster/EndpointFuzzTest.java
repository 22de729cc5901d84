package dev.rush.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import io.vertx.redis.client.impl.types.ErrorType;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Every error reply is classified. An endpoint in it is refused, or has one name, which parses to
 * the same endpoint again.
 */
class EndpointFuzzTest {
    private static final List<String> BEFORE_ANYTHING = List.of("NOSCRIPT", "LOADING", "BUSY",
            "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK", "READONLY", "MASTERDOWN", "NOAUTH",
            "NOPERM", "WRONGPASS", "OOM", "NOREPLICAS", "MISCONF", "LAYOUT");
    private static final Endpoint ASKED = Endpoint.parse("redis-0.redis:6379", null).orElseThrow();

    @FuzzTest(maxDuration = "1m")
    void errorReplyIsClassifiedAndItsEndpointHasOneName(byte[] bytes) {
        String message = new String(bytes, StandardCharsets.UTF_8);
        RedisFailure failure = ErrorReplies.classify(ErrorType.create(message));
        if (failure.outcomeClass() == OutcomeClass.NOTHING_HAPPENED) {
            assertThat(message.split(" ", -1)[0]).as("codes of replies before anything ran")
                    .isIn(BEFORE_ANYTHING);
        } else {
            assertThat(failure.outcomeClass() == OutcomeClass.UNKNOWN)
                    .isEqualTo(message.split(" ", -1)[0].equals("CONNECTION_CLOSED"));
        }
        assertThat(message).as("the reason is its code").startsWith(
                failure.getMessage().equals("connection lost") ? "" : failure.getMessage());
        assertThat(message).as("a cause is a code, and our hint")
                .startsWith(Causes.of(ErrorType.create(message)).split(", ")[0]);
        check(ErrorReplies.redirection(message, ASKED));
        check(Endpoint.parse(message, null));
    }

    private static void check(Optional<Endpoint> found) {
        found.ifPresent(endpoint -> {
            assertThat(endpoint.port()).isBetween(1, 65_535);
            assertThat(endpoint.host()).isNotEmpty().hasSizeLessThanOrEqualTo(256);
            assertThat(Endpoint.parse(endpoint.toString(), null)).contains(endpoint);
            assertThat(Endpoint.of(endpoint.host(), endpoint.port(), null)).contains(endpoint);
            assertThat(endpoint.toString()).doesNotContain("@", "/", "?", "#", " ");
            assertThat(URI.create("redis://" + endpoint.host().replaceAll(".*[:%].*", "v6")
                    + ":" + endpoint.port()).getPort()).isEqualTo(endpoint.port());
        });
    }
}
