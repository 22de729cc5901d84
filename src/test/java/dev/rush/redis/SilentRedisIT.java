package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.FaultyProxy;
import dev.rush.testing.FaultyProxy.Mode;
import dev.rush.testing.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * I8: a Redis that accepts connections and bytes but never answers. A call that failed as "nothing
 * happened" never runs later, and one that may have been sent is unknown.
 */
class SilentRedisIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String ONE = "{\"items\":[{\"sku\":\"x\"}]}";

    private static EmbeddedRedis redis;
    private static FaultyProxy proxy;
    private static Pod pod;
    private static int sales;

    private String sale;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        proxy = FaultyProxy.before(redis.port());
        Environment environment = Environments.on("silent", redis);
        pod = Environments.startPod("silent", environment, Map.of("quarkus.redis.hosts",
                "redis://127.0.0.1:" + proxy.port(), "rush.redis.silence", "PT1S",
                "rush.deadline", "PT2S"));
    }

    @AfterAll
    static void stop() {
        pod.close();
        proxy.close();
        redis.close();
    }

    @BeforeEach
    void prepare() {
        sale = "/v1/sales/silent-" + ++sales;
        Await.until("the sale is prepared", LIMIT, () -> pod.api().asOperator().put(sale,
                "{\"items\":[{\"sku\":\"x\",\"total\":100000}]}").status() < 300);
    }

    @AfterEach
    void heal() {
        proxy.mode(Mode.PASS);
    }

    @Test
    void refusedPauseIsNotMadeAfterTheReconnect() {
        proxy.mode(Mode.BLACK_HOLE);
        proxy.cut();
        Await.until("the pod reconnects", LIMIT, () -> buy("early").status() == 503);
        Answer pause = pod.api().asOperator().post(sale + "/pause", "{}");

        assertThat(pause.status()).as("%s", pause).isEqualTo(503);
        assertThat(pause.word()).isEqualTo("unavailable");
        proxy.mode(Mode.PASS);
        Await.until("the pod sells again", LIMIT, () -> buy("late").status() == 201);
        assertThat(pod.api().get(sale).body().path("state").asText()).isEqualTo("open");
    }

    @Test
    void pauseThatMayHaveBeenSentIsUnknownUntilRepeated() {
        proxy.mode(Mode.CUT_AFTER_FORWARD);
        Answer pause = pod.api().asOperator().post(sale + "/pause", "{}");

        assertThat(pause.word()).as("%s", pause).isIn("outcome-unknown", "unavailable");
        proxy.mode(Mode.PASS);
        Await.until("the pod reaches Redis again", LIMIT,
                () -> pod.api().asOperator().post(sale + "/pause", "{}").status() == 200);
        assertThat(buy("one").word()).isEqualTo("paused");
    }

    /** In both spellings: the plain one bypasses the REST layer. */
    @ParameterizedTest
    @ValueSource(strings = {"silent-", "silent%2D"})
    void viewWithoutAReplyIsUnavailableAndNeverUnknown(String begin) {
        proxy.mode(Mode.BLACK_HOLE);
        List<Answer> views = new ArrayList<>();
        Await.until("the view is too stale", LIMIT, () -> {
            views.add(pod.api().get(sale.replace("silent-", begin)));
            return views.get(views.size() - 1).status() != 200;
        });

        assertThat(views.get(views.size() - 1).word()).isEqualTo("unavailable");
    }

    @Test
    void silentConnectionsAreDroppedAndThePodSellsWhenRedisAnswersAgain() {
        proxy.mode(Mode.BLACK_HOLE);
        Answer unknown = buy("first");
        int accepted = proxy.accepted();
        Await.until("new connections are tried", LIMIT, () -> {
            buy("next");
            return proxy.accepted() > accepted;
        });
        proxy.mode(Mode.PASS);
        Await.until("the pod sells again", LIMIT, () -> buy("second").status() == 201);
        assertThat(unknown.word()).isEqualTo("outcome-unknown");
    }

    @Test
    void connectionsThatNeverOpenAreReplaced() {
        proxy.mode(Mode.DEAF);
        proxy.cut();
        int accepted = proxy.accepted();
        Await.until("the pod waits for connections", LIMIT, () -> {
            buy("early");
            return proxy.accepted() > accepted;
        });
        proxy.mode(Mode.PASS);

        Await.until("the pod sells over new ones", LIMIT, () -> buy("late").status() == 201);
    }

    private Answer buy(String user) {
        return pod.api().as(user).post(sale + "/purchases", ONE);
    }
}
