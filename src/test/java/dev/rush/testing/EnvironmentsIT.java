package dev.rush.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The packaged service starts on both kinds of Redis, answers a crowd, and stops on SIGTERM. */
class EnvironmentsIT {
    private static final String NOWHERE = "/no-such-path";

    static Stream<Environment> environments() {
        return Stream.of(Environments.single(), Environments.cluster());
    }

    @ParameterizedTest
    @MethodSource("environments")
    void sharedPodIsReadyAndAnswersACrowd(Environment environment) {
        assertThat(environment.pod().ready()).isTrue();
        Api api = environment.api().as("711");
        List<Api.Answer> answers =
                Api.rush(500, 50, i -> api.callAsync("GET", NOWHERE + "/" + i, null));
        assertThat(answers).hasSize(500).allMatch(answer -> answer.status() == 404);
        try (Resp resp = environment.resp("{p07}")) {
            assertThat(resp.command("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void podStopsOnSigterm() {
        Pod pod = Environments.startPod("stops", Environments.single(), Map.of());
        pod.terminate();
        assertThat(pod.alive()).isFalse();
    }

    @Test
    void podThatDoesNotStartSaysWhy() {
        assertThatThrownBy(() -> Environments.startPod("invalid-port", Environments.single(),
                Map.of("quarkus.http.port", "not-a-number")).close())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("not-a-number");
    }
}
