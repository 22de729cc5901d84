package dev.rush.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.OutcomeClass;
import io.vertx.redis.client.impl.types.ErrorType;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** I8: failed calls are classified as in the table of outcome classes. */
class ErrorRepliesTest {
    @ParameterizedTest
    @ValueSource(strings = {"NOSCRIPT No matching script.", "LOADING Redis is", "BUSY Redis",
            "CLUSTERDOWN The cluster is down", "TRYAGAIN Multiple keys", "MOVED 1 127.0.0.1:7000",
            "ASK 1 127.0.0.1:7000", "READONLY You can't", "MASTERDOWN Link", "NOAUTH required",
            "NOPERM no", "OOM command not allowed", "NOREPLICAS Not enough", "MISCONF Redis is",
            "LAYOUT 97"})
    @DisplayName("I8: an error before anything ran means that nothing happened")
    void errorsThatRanNothing(String error) {
        assertThat(classOf(ErrorType.create(error))).isEqualTo(OutcomeClass.NOTHING_HAPPENED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ERR user_script:5: attempt", "WRONGTYPE Operation against", "ERR"})
    @DisplayName("I8: an error from inside a script is half done")
    void errorsFromInsideAScript(String error) {
        assertThat(classOf(ErrorType.create(error))).isEqualTo(OutcomeClass.HALF_DONE);
    }

    @Test
    @DisplayName("X7: an unknown layout is lasting; a missing one is not, as an empty tag gets one")
    void unknownLayoutIsLasting() {
        assertThat(ErrorReplies.classify(ErrorType.create("LAYOUT 97")).isLasting()).isTrue();
        assertThat(ErrorReplies.classify(ErrorType.create("LAYOUT none")).isLasting()).isFalse();
    }

    @Test
    @DisplayName("I8: lost connections and unexpected errors are unknown")
    void lostConnectionIsUnknown() {
        assertThat(classOf(ErrorType.create("CONNECTION_CLOSED"))).isEqualTo(OutcomeClass.UNKNOWN);
        assertThat(classOf(new IOException("Connection reset"))).isEqualTo(OutcomeClass.UNKNOWN);
        assertThat(classOf(new RuntimeException())).isEqualTo(OutcomeClass.UNKNOWN);
    }

    @Test
    @DisplayName("X5: the reason never repeats the command with its users' data")
    void reasonDoesNotRepeatTheCommand() {
        assertThat(ErrorReplies.classify(ErrorType.create("ERR unknown 'u-711'")).getMessage())
                .doesNotContain("711");
        assertThat(ErrorReplies.classify(new IOException("EVALSHA u-711")).getMessage())
                .doesNotContain("711");
    }

    private static OutcomeClass classOf(Throwable cause) {
        return ErrorReplies.classify(cause).outcomeClass();
    }
}
