package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** X3, X4, S2: a start that cannot work ends at once, and says why in one line. */
class StartIT {
    /** The settings of a start that verifies tokens. */
    private static final Map<String, String> TOKEN = Map.of("rush.identity", "token",
            "rush.trust-identity-header", "", "mp.jwt.verify.issuer", "https://login.example",
            "mp.jwt.verify.audiences", "rush");

    /** It has several errors, because one line lists all. */
    private static Pod broken;

    @BeforeAll
    static void start() {
        broken = Environments.launchPod("start-broken", Environments.single(), Map.of(
                "rush.durability", "replicas", "rush.orders.sink", "kafka",
                "rush.batch.size", "0"));
    }

    @AfterAll
    static void stop() {
        broken.close();
    }

    @Test
    @DisplayName("A production start without quarkus.redis.hosts fails at once and says so")
    void startWithoutRedisHostsFailsAtOnce() {
        assertEnds(Pod.launch("start-nowhere", Map.of("rush.orders.sink", "none")),
                "quarkus.redis.hosts");
    }

    @Test
    @DisplayName("An invalid or incomplete setting ends the start")
    void badSettingEndsTheStart() {
        Environment environment = Environments.single();
        environment.pod(); // It records the number of partitions.
        Map<String, String> bad = Map.of(
                "rush.partitions", "63", "quarkus.redis.client-type", "sentinel");
        Map<String, Pod> pods = new TreeMap<>();
        bad.forEach((property, value) -> pods.put(property, Environments.launchPod(
                "start-" + property, environment, Map.of(property, value))));
        pods.forEach((property, pod) -> assertEnds(pod, property));
        for (String property : List.of("rush.durability", "rush.orders.sink", "rush.batch.size")) {
            assertEnds(broken, property);
        }
        assertEnds(Environments.launchPod("start-durability-ledger", environment,
                Map.of("rush.durability", "ledger", "rush.orders.sink", "none")),
                "rush.durability=ledger needs a ledger");
    }

    @Test
    @DisplayName("X4: identity by header in production warns loudly, once")
    void identityByHeaderWarnsLoudly() {
        assertThat(Environments.single().pod().log().lines()
                .filter(line -> line.contains("EVERY CALLER IS TRUSTED"))
                .filter(line -> line.contains("WARN"))).hasSize(1);
    }

    @Test
    @DisplayName("X4: a production start that would accept any issuer or audience fails")
    void tokensNeedAnIssuerAndAnAudience() {
        try (Pod noIssuer = Environments.launchPod("start-token-no-issuer", Environments.single(),
                with(TOKEN, "mp.jwt.verify.issuer", ""));
                Pod noAudience = Environments.launchPod("start-token-no-audience",
                        Environments.single(), with(TOKEN, "mp.jwt.verify.audiences", ""));
                Pod any = Environments.launchPod("start-token-any", Environments.single(),
                        with(TOKEN, "mp.jwt.verify.issuer", "NONE"))) {
            assertEnds(noIssuer, "mp.jwt.verify.issuer");
            assertEnds(noAudience, "mp.jwt.verify.audiences");
            assertEnds(any, "mp.jwt.verify.issuer");
        }
    }

    @Test
    @DisplayName("X4: a production start trusts headers only with two settings")
    void headersAreTrustedOnlyWithTwoSettings() {
        try (Pod once = Environments.launchPod("start-header-once", Environments.single(),
                Map.of("rush.trust-identity-header", ""))) {
            assertEnds(once, "rush.trust-identity-header");
        }
    }

    @ParameterizedTest(name = "QUARKUS_PROFILE={0}")
    @ValueSource(strings = {"dev", "test"})
    @DisplayName("X4: no profile makes the production build trust headers, or enables demo or"
            + " console; tokens need a key")
    void noProfileEnablesAnything(String profile) {
        try (Pod pod = Environments.startPod("start-profile-" + profile, Environments.single(),
                with(with(TOKEN, "quarkus.profile", profile), "rush.identity", ""))) {
            assertThat(pod.log()).contains("mp.jwt.verify.publickey")
                    .doesNotContain("EVERY CALLER IS TRUSTED");
            assertThat(pod.api().asOperator().get("/v1/sales").word())
                    .isEqualTo("unauthenticated");
            assertThat(pod.api().get("/demo").status()).isEqualTo(404);
            assertThat(pod.api().get("/console").status()).isEqualTo(404);
        }
    }

    private static Map<String, String> with(Map<String, String> config, String key, String value) {
        Map<String, String> all = new HashMap<>(config);
        all.put(key, value);
        return all;
    }

    private static void assertEnds(Pod pod, String named) {
        assertThat(pod.awaitEnd()).as(pod.log()).isNotZero();
        assertThat(pod.log().lines().filter(line -> line.contains(named)))
                .as("lines that name %s in:%n%s", named, pod.log()).hasSizeBetween(1, 2);
    }
}
