package dev.rush;

import static dev.rush.testing.TestSale.fresh;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Api;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import dev.rush.testing.TestSale;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Defaults follow the machine that a pod runs on, not the one that built it. */
class RuntimeDefaultsIT {
    private static final int CLIENTS = 24;

    @ParameterizedTest(name = "{0} processors")
    @ValueSource(ints = {1, 3})
    @DisplayName("A pod has one event loop per processor, each with one connection to Redis that "
            + "exists before the pod is ready")
    void podHasOneEventLoopPerProcessor(int processors) {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            Environment environment = Environments.on("loops-" + processors, redis);
            try (Pod pod = Environments.startPod("loops-" + processors, environment,
                    Map.of("-XX:ActiveProcessorCount", Integer.toString(processors)))) {
                assertThat(connections(redis)).as("before any request").isEqualTo(processors);

                Api api = pod.api();
                TestSale sale = TestSale.unknown(environment, api);
                sale.prepare("apple:1000:0", "");
                Api.rush(10 * CLIENTS, CLIENTS, i -> sale.buyAsync(fresh("user"), "apple"));

                assertThat(connections(redis)).as("after a rush").isEqualTo(processors);
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    @DisplayName("On Linux a pod loads Netty's epoll library, also as a native executable")
    void podUsesEpoll() {
        Pod pod = Environments.single().pod();
        assertThat(Path.of("/proc/" + pod.pid() + "/maps")).content(ISO_8859_1)
                .contains("libnetty_transport_native_epoll");
    }

    /** The number of connections of Redis, without that of this call. */
    private static long connections(EmbeddedRedis redis) {
        try (Resp resp = Resp.connect(redis.port())) {
            return resp.text("CLIENT", "LIST").lines().count() - 1;
        }
    }
}
