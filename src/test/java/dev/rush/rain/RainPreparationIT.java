package dev.rush.rain;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestRain.listed;
import static dev.rush.testing.TestRain.split;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.RushConfig.Durability;
import dev.rush.http.Json;
import dev.rush.offer.Durabilities;
import dev.rush.redis.Script;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Setting;
import dev.rush.testing.TestRain;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Preparing rains: G1, G2, and that a rain exists completely or not at all. */
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER"})
class RainPreparationIT {

    private static final long AMOUNT_MAX = 9007199254740991L;
    /** A deadline that no script reaches. */
    private static final String NEVER = "99999999999999";

    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    private static long sum(List<Long> amounts) {
        return amounts.stream().mapToLong(Long::longValue).sum();
    }

    @Test
    @DisplayName("G1: preparing again is 200, a different definition 409; neither changes the rain")
    void preparingIsIdempotent() {
        TestRain rain = TestRain.unknown(environment());
        is(201, rain.prepare(listed("'title':'Quiz night'", 3, 2, 1)));
        is(200, rain.prepare(listed("'title':'Quiz night','limitPerUser':3", 3, 2, 1)));
        assertThat(rain.grabbed("ann")).isEqualTo(3);
        is(200, rain.prepare(listed("'title':'Quiz night'", 3, 2, 1)));
        refused(rain.prepare(listed("'title':'Quiz night'", 3, 1, 2)), "rain-exists");
        refused(rain.prepare(listed("'title':'Quiz'", 3, 2, 1)), "rain-exists");
        refused(rain.prepare(split("even", 6, 3, "")), "rain-exists");
        assertThat(rain.left()).containsExactly(2L, 1L);
    }

    @Test
    @DisplayName("G1: fifty thousand amounts are handed out in their order")
    void fiftyThousandAmountsAreKeptInTheirOrder() {
        TestRain rain = TestRain.unknown(environment());
        long[] amounts = LongStream.range(0, 50_000).map(i -> i * 31 % 49_999 + 1).toArray();
        is(201, rain.prepare(listed("", amounts)));
        assertThat(rain.left()).containsExactlyElementsOf(
                LongStream.of(amounts).boxed().toList());
        assertThat(rain.grabbed("ann")).isEqualTo(amounts[0]);
        assertThat(rain.grabbed("bob")).isEqualTo(amounts[1]);
        refused(TestRain.unknown(environment()).prepare(
                listed("", LongStream.range(0, 50_001).map(i -> 1).toArray())),
                "invalid-request");
    }

    @Test
    @DisplayName("400: a rain whose end has passed is not prepared")
    void rainWhoseEndHasPassedIsNotPrepared() {
        TestRain rain = TestRain.unknown(environment());
        refused(rain.prepare(listed("'endsAt':'2024-01-01T00:00:00Z'", 3, 1)), "invalid-request");
        refused(rain.view(), "unknown-rain");
    }

    @Test
    @DisplayName("G2: a million envelopes with 2^53 − 1 in total are prepared within 30 s")
    void millionEnvelopesArePrepared() {
        TestRain rain = TestRain.unknown(environment());
        long start = System.nanoTime();
        is(201, rain.prepare(split("random-cut", AMOUNT_MAX, 1_000_000, "")));
        Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
        System.out.println("A million envelopes prepared in " + elapsed.toMillis() + " ms");
        assertThat(elapsed).isLessThan(Duration.ofSeconds(30));
        List<Long> amounts = rain.left();
        assertThat(amounts).hasSize(1_000_000).allMatch(amount -> amount >= 1);
        assertThat(sum(amounts)).isEqualTo(AMOUNT_MAX);
        assertThat(rain.view().body().path("left").toString())
                .isEqualTo(json("{'count':1000000,'amount':" + AMOUNT_MAX + "}"));
        assertThat(rain.grabbed("ann")).isEqualTo(amounts.get(0));
        rain.redis("UNLINK", rain.key("envelopes"));
    }

    @Test
    @DisplayName("G2: the same seed gives the same amounts")
    void sameSeedGivesTheSameAmounts() {
        for (Split split : Split.values()) {
            TestRain one = TestRain.unknown(environment());
            TestRain other = TestRain.unknown(environment());
            String seeded = split(split.text(), 100_000, 500, "'min':7,'seed':42");
            is(201, one.prepare(seeded));
            is(201, other.prepare(seeded));
            assertThat(one.left()).hasSize(500).allMatch(amount -> amount >= 7)
                    .isEqualTo(other.left());
            assertThat(sum(one.left())).isEqualTo(100_000);
            refused(one.prepare(seeded.replace("42", "43")), "rain-exists");
        }
    }

    @Test
    @DisplayName("G2: a request without a seed gets one, which repeated requests keep")
    void generatedSeedIsKept() {
        TestRain seedless = TestRain.unknown(environment());
        String body = split("double-mean", 1000, 10, "");
        long seed = is(201, seedless.prepare(body)).body().path("seed").asLong();
        assertThat(is(200, seedless.prepare(body)).body().path("seed").asLong()).isEqualTo(seed);
        is(200, seedless.prepare(split("double-mean", 1000, 10, "'seed':" + seed)));
        assertThat(seedless.left()).containsExactlyElementsOf(LongStream.of(
                Split.DOUBLE_MEAN.shares(1000, 10, 1, seed)).boxed().toList());
        assertThat(seedless.view().body().has("seed")).as("seed, which is secret").isFalse();
    }

    @Test
    @DisplayName("G1: a half-prepared rain is unknown; a retry completes it with its seed")
    void halfPreparedRainIsCompletedByARetry() {
        TestRain rain = TestRain.unknown(environment());
        String body = json(split("double-mean", 5_000_000, 5_000, ""));
        Json reader = new Json();
        RainDefinition definition = RainDefinition.of(rain.id(),
                reader.read(body.getBytes(StandardCharsets.UTF_8), RainRequest.class),
                new Durabilities(Durability.REDIS, true, true));
        String text = new String(reader.write(definition), StandardCharsets.UTF_8);
        long[] amounts = Split.DOUBLE_MEAN.shares(5_000_000, 5_000, 1, 99);
        assertThat(rain.redis("EVAL", Script.load("rain/prepare").text(), "3", rain.key("conf"),
                rain.key("draft"), rain.key("envelopes"), NEVER, text, "99", "0",
                "first", "0")).isEqualTo("draft 99 0 first");
        List<String> fill = new ArrayList<>(List.of("EVAL", Script.load("rain/fill").text(), "4",
                rain.key("conf"), rain.key("draft"), rain.key("envelopes"),
                rain.partition().key("rains"), NEVER, text, "99", rain.id(), "0", "0", "3",
                "5000", "5000000", "first", "0", "202601"));
        LongStream.of(amounts).limit(1500).forEach(amount -> fill.add(Long.toString(amount)));
        assertThat(rain.redis(fill.toArray(String[]::new))).isEqualTo("filled 1500");
        // The same chunk once more, as after a lost reply, changes nothing.
        assertThat(rain.redis(fill.toArray(String[]::new))).isEqualTo("filled 1500");

        refused(rain.grab("ann"), "unknown-rain");
        refused(rain.view(), "unknown-rain");
        refused(rain.leaderboard(""), "unknown-rain");
        refused(rain.control("close"), "unknown-rain");

        is(201, rain.prepare(body));
        assertThat(rain.left()).containsExactlyElementsOf(LongStream.of(amounts).boxed().toList());
        assertThat(rain.redis("EXISTS", rain.key("draft"))).isEqualTo(0L);
        assertThat(rain.redis("TTL", rain.key("envelopes"))).isEqualTo(-1L);
    }

    @Test
    @DisplayName("G1: a retry completes the rain of a pod killed while preparing")
    void killedPodsWorkIsCompletedByAnother() {
        TestRain rain = TestRain.unknown(environment());
        String body = split("random-cut", 50_000_000, 1_000_000, "");
        Pod pod = Environments.startPod(
                "prepares-" + environment().name(), environment(), Map.of());
        CompletableFuture<Answer> cutOff = rain.through(pod.api()).prepareAsync(body);
        Await.until("some envelopes are written", Duration.ofSeconds(20),
                () -> (Long) rain.redis("LLEN", rain.key("envelopes")) > 0);
        pod.kill();
        assertThat(cutOff.handle((answer, failure) -> failure != null).join())
                .as("the pod was killed while preparing").isTrue();
        long filled = (Long) rain.redis("LLEN", rain.key("envelopes"));
        System.out.println("Killed after " + filled + " of 1,000,000 envelopes");
        assertThat(filled).isBetween(1L, 999_999L);
        refused(rain.grab("ann"), "unknown-rain");
        List<Long> before = rain.left();

        is(201, rain.prepare(body));
        List<Long> all = rain.left();
        assertThat(all).hasSize(1_000_000);
        assertThat(all.subList(0, before.size())).isEqualTo(before);
        assertThat(sum(all)).isEqualTo(50_000_000);
        rain.redis("UNLINK", rain.key("envelopes"));
    }

    @Test
    @DisplayName("G1: of concurrent preparations of the same rain, one creates it")
    void concurrentPreparationsOfTheSameMakeOneRain() {
        TestRain rain = TestRain.unknown(environment());
        String body = split("double-mean", 1_000_000, 30_000, "");
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            answers.add(rain.prepareAsync(body));
        }
        assertThat(answers.stream().map(answer -> answer.join().status()))
                .containsExactlyInAnyOrder(201, 200, 200, 200, 200, 200, 200, 200);
        assertThat(rain.left()).hasSize(30_000);
        assertThat(sum(rain.left())).isEqualTo(1_000_000);
    }

    @Test
    @DisplayName("G1: of concurrent preparations of different rains with one id, one wins")
    void concurrentPreparationsOfDifferentRainsLeaveOneWhole() {
        TestRain rain = TestRain.unknown(environment());
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            answers.add(rain.prepareAsync(split("even", 20_000L * i, 20_000, "")));
        }
        List<Integer> statuses =
                answers.stream().map(answer -> answer.join().status()).toList();
        assertThat(statuses).as("one created, the others refused")
                .containsExactlyInAnyOrder(201, 409, 409, 409, 409, 409);
        long winner = statuses.indexOf(201) + 1;
        assertThat(rain.left()).hasSize(20_000).containsOnly(winner);
        assertThat(rain.view().body().path("prepared").path("amount").asLong())
                .isEqualTo(20_000 * winner);
    }
}
