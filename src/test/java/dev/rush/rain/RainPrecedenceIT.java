package dev.rush.rain;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestRain.listed;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environment;
import dev.rush.testing.Setting;
import dev.rush.testing.StrictPods;
import dev.rush.testing.TestRain;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Refusals of a grab take precedence in the order of the contract. Each pair of causes that can
 * apply at once is set up, and the earlier must be the answer: G4, G6, P12, X4, X5.
 */
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER"})
class RainPrecedenceIT {

    private static final String KEY = "k";
    private static final String FAR_FUTURE_MS = "4102444800000";
    private static final int TRIES = 10;

    /** An environment whose shared pod is strict. */
    @Parameter
    Setting setting;

    private Environment environment() {
        return setting == Setting.SINGLE ? StrictPods.single() : StrictPods.cluster();
    }

    /** Why a grab may not be newly accepted, in the order of the contract. */
    enum Cause {
        UNAUTHENTICATED, INVALID_REQUEST, RATE_LIMITED, BLOCKED, REPLAYED, UNKNOWN_RAIN, PAUSED,
        NOT_OPEN, CLOSED, LIMIT_REACHED, EMPTY, BACKLOGGED;

        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Whether both can apply to one request: an unknown rain has no state. */
        boolean meets(Cause later) {
            return this != UNKNOWN_RAIN && (later != UNKNOWN_RAIN || this != REPLAYED);
        }
    }

    static Stream<Arguments> pairs() {
        List<Arguments> pairs = new ArrayList<>();
        for (Cause earlier : Cause.values()) {
            pairs.add(Arguments.of(earlier, earlier));
            Arrays.stream(Cause.values()).skip(earlier.ordinal() + 1).filter(earlier::meets)
                    .forEach(later -> pairs.add(Arguments.of(earlier, later)));
        }
        return pairs.stream();
    }

    @ParameterizedTest(name = "{0} before {1}")
    @MethodSource("pairs")
    @DisplayName("One case per word, and per pair")
    void earlierCauseIsTheAnswer(Cause earlier, Cause later) {
        Set<Cause> causes = EnumSet.of(earlier, later);
        TestRain rain = TestRain.unknown(environment());
        String user = fresh("user");
        if (!causes.contains(Cause.UNKNOWN_RAIN)) {
            prepare(rain, user, causes);
        }
        if (causes.contains(Cause.BLOCKED)) {
            is(204, environment().api().asOperator().put("/v1/blocklist/" + user, "{}"));
        }
        Answer answer = grab(rain, user, causes);
        if (earlier == Cause.REPLAYED) {
            assertThat(is(201, answer).header("Idempotency-Replayed")).isEqualTo("true");
        } else {
            refused(answer, earlier.word());
        }
    }

    private static void prepare(TestRain rain, String user, Set<Cause> causes) {
        is(201, rain.prepare(listed("'limitPerUser':1", 1, 2, 3)));
        if (causes.contains(Cause.REPLAYED)) {
            grabBefore(rain, user, KEY);
        } else if (causes.contains(Cause.LIMIT_REACHED)) {
            grabBefore(rain, user, "before");
        }
        while (causes.contains(Cause.EMPTY) && !rain.left().isEmpty()) {
            grabBefore(rain, fresh("user"), "before");
        }
        if (causes.contains(Cause.PAUSED)) {
            is(200, rain.control("pause"));
        }
        if (causes.contains(Cause.CLOSED)) {
            is(200, rain.control("close"));
        }
        if (causes.contains(Cause.NOT_OPEN)) {
            // No call can make a rain with grabs that is not open yet.
            rain.redis("HSET", rain.key("conf"), "opens_at", FAR_FUTURE_MS);
        }
        if (causes.contains(Cause.BACKLOGGED)) {
            rain.redis("XADD", rain.partition().key("orders"), "*", "grab", "");
        }
    }

    /** A grab in the operator's role, which is not rate-limited, without a backlog. */
    private static void grabBefore(TestRain rain, String user, String key) {
        rain.redis("DEL", rain.partition().key("orders"));
        is(201, rain.through(rain.api().with("X-User-Roles", "operator")).grab(user, key));
        rain.redis("DEL", rain.partition().key("orders"));
    }

    private static Answer grab(TestRain rain, String user, Set<Cause> causes) {
        Api api = causes.contains(Cause.UNAUTHENTICATED) ? rain.api() : rain.api().as(user);
        String body = causes.contains(Cause.INVALID_REQUEST) ? "{\"quantity\":1}" : null;
        Api keyed = causes.contains(Cause.REPLAYED) ? api.key(KEY) : api;
        for (int i = 0; i < TRIES; i++) {
            if (causes.contains(Cause.RATE_LIMITED)) {
                spendAllowance(rain, user);
            }
            Answer answer = keyed.post(rain.path() + "/grabs", body);
            // A slow machine may have refilled the allowance of one a second by then.
            boolean refilled = causes.contains(Cause.RATE_LIMITED)
                    && !answer.word().equals(Cause.RATE_LIMITED.word())
                    && !causes.contains(Cause.UNAUTHENTICATED)
                    && !causes.contains(Cause.INVALID_REQUEST);
            if (!refilled) {
                return answer;
            }
        }
        throw new AssertionError("the rate limit does not hold, or this machine is too slow");
    }

    private static void spendAllowance(TestRain rain, String user) {
        for (int i = 0; i < 2; i++) {
            rain.api().as(user).post("/v1/rains/nowhere/grabs");
        }
    }

    @Test
    @DisplayName("O1: the script adds a grab to the stream, with all that the ledger needs")
    void grabEntersTheStream() {
        TestRain rain = TestRain.of(environment(), 3, 41, 42);
        rain.redis("DEL", rain.partition().key("orders"));
        Answer grab = is(201, rain.grab("ann", KEY));
        List<?> entries = (List<?>) rain.redis("XRANGE", rain.partition().key("orders"), "-", "+");
        assertThat(entries).hasSize(1);
        List<?> fields = (List<?>) ((List<?>) entries.get(0)).get(1);
        String at = Long.toString(Instant.parse(
                grab.body().path("grabbedAt").asText()).toEpochMilli());
        String number = (String) rain.redis("GET", rain.partition().key("seq"));
        assertThat(fields).isEqualTo(List.of("grab", String.join(" ", rain.id(), at, "1", number,
                number, "ann", grab.body().path("grab").asText(), KEY, "1", "41")));
        refused(rain.grab("bob"), "backlogged");
        assertThat(rain.left()).containsExactly(42L);
    }
}
