package dev.rush.rain;

import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Setting;
import dev.rush.testing.TestRain;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Grabbing over HTTP: G1, G3 to G7, I7, I13. Run on one Redis and on a cluster. */
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER"})
class RainIT {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    private TestRain rain(int limit, long... amounts) {
        return TestRain.of(environment(), limit, amounts);
    }

    @Test
    @DisplayName("G7: the quiz night goes as in the transcript")
    void quizNightGoesAsInTheTranscript() {
        TestRain rain = TestRain.named(environment(), "7758521");
        assertThat(rain.prepare(TestRain.listed("'title':'Quiz night','limitPerUser':3",
                9, 4, 5, 2, 7, 8, 6, 10, 3, 1)).status()).isEqualTo(201);
        List<String> answers = new ArrayList<>();
        for (String user : "u1 u2 u3 u4 u5 u1 u2 u1 u1 u2 u2 u3".split(" ")) {
            Answer answer = rain.grab(user);
            answers.add(answer.status() == 201
                    ? answer.body().path("amount").asText() : answer.word());
        }
        assertThat(answers).containsExactly("9", "4", "5", "2", "7", "8", "6", "10",
                "limit-reached", "3", "limit-reached", "1");
        assertThat(rain.board("")).containsExactly("u1-3 10", "u1-1 9", "u1-2 8", "u5-1 7",
                "u2-2 6", "u3-1 5", "u2-1 4", "u2-3 3", "u4-1 2", "u3-2 1");
        assertThat(rain.board("?by=user&top=3")).containsExactly("u1 3 27", "u2 3 13", "u5 1 7");
        assertThat(rain.board("?top=2")).containsExactly("u1-3 10", "u1-1 9");
    }

    @Test
    @DisplayName("G3: a grab names its envelope; the caller's grabs are listed, newest first")
    void grabNamesItsEnvelopeAndIsListedNewestFirst() {
        TestRain rain = rain(3, 5, 6);
        JsonNode first = rain.grab("ann").body();
        assertThat(first.path("rain").asText()).isEqualTo(rain.id());
        assertThat(first.path("user").asText()).isEqualTo("ann");
        assertThat(first.path("nth").asInt()).isEqualTo(1);
        assertThat(first.path("number").asInt()).isEqualTo(1);
        assertThat(first.path("amount").asLong()).isEqualTo(5);
        assertThat(first.path("grab").asText()).isNotEmpty();
        JsonNode second = rain.grab("ann").body();
        JsonNode listed = rain.grabs("ann");
        assertThat(listed).containsExactly(second, first);
        assertThat(rain.grabs("bob")).isEmpty();
    }

    @Test
    @DisplayName("G5: ties go to the earlier grab")
    void tiesGoToTheEarlierGrab() {
        TestRain rain = rain(3, 5, 5, 7, 5, 2);
        for (String user : "zoe amy bob amy zoe".split(" ")) {
            assertThat(rain.grab(user).status()).isEqualTo(201);
        }
        assertThat(rain.board("")).containsExactly(
                "bob-1 7", "zoe-1 5", "amy-1 5", "amy-2 5", "zoe-2 2");
        assertThat(rain.board("?by=user")).containsExactly("amy 2 10", "zoe 2 7", "bob 1 7");
    }

    @Test
    @DisplayName("G5: amounts and their sums are exact up to 2^53 − 1")
    void amountsAreExactUpToTheMaximum() {
        TestRain rain = rain(3, 9007199254740989L, 1, 1);
        IntStream.range(0, 3).forEach(i -> rain.grab("ann"));
        assertThat(rain.board("?top=1")).containsExactly("ann-1 9007199254740989");
        assertThat(rain.board("?by=user")).containsExactly("ann 3 9007199254740991");
    }

    @Test
    @DisplayName("G5: the leaderboard has the highest hundred")
    void leaderboardIsOfTheHighestHundred() {
        TestRain rain = rain(100, LongStream.rangeClosed(1, 150).toArray());
        Api.rush(150, 10, i -> rain.grabAsync("user-" + i % 50));
        List<String> top = rain.board("?top=100");
        assertThat(top.stream().map(entry -> Long.parseLong(entry.split(" ")[1])))
                .containsExactlyElementsOf(LongStream.iterate(150, i -> i > 50, i -> i - 1)
                        .boxed().toList());
        for (String query : List.of("?top=0", "?top=101", "?top=x", "?top=-1", "?by=amount")) {
            refused(rain.leaderboard(query), "invalid-request");
        }
    }

    @Test
    @DisplayName("G4: limit and empty are different answers, and neither uses up anything")
    void limitAndEmptyAreDifferentAnswersAndUseUpNothing() {
        TestRain rain = rain(2, 1, 2, 3);
        rain.grab("ann");
        rain.grab("ann");
        for (int i = 0; i < 5; i++) {
            JsonNode problem = refused(rain.grab("ann", "again-" + i), "limit-reached").body();
            assertThat(problem.path("limit").asInt()).isEqualTo(2);
            assertThat(problem.path("taken").asInt()).isEqualTo(2);
        }
        assertThat(rain.grab("bob").body().path("amount").asLong()).isEqualTo(3);
        for (int i = 0; i < 5; i++) {
            refused(rain.grab("bob", "again-" + i), "empty");
            refused(rain.grab("bob"), "empty");
        }
        refused(rain.grab("ann", "last"), "limit-reached");
        assertThat(rain.board("?by=user")).containsExactly("ann 2 3", "bob 1 3");
        assertThat(rain.grabs("bob")).hasSize(1);
        Await.until("the rain is empty", LIMIT, () -> rain.state().equals("empty"));
    }

    @Test
    @DisplayName("I7: a repeated key gets the first answer, even after closing")
    void repeatedKeyGetsTheFirstAnswerEvenAfterClosing() {
        TestRain rain = rain(1, 4, 6);
        Answer first = rain.grab("ann", "k");
        Answer again = rain.grab("ann", "k");
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(first.header("Idempotency-Replayed")).isNull();
        assertThat(rain.grab("bob", "k").body().path("amount").asLong()).isEqualTo(6);
        refused(rain.grab("carl", "k"), "empty");
        rain.control("close");
        assertThat(rain.grab("ann", "k").body()).isEqualTo(first.body());
        refused(rain.grab("carl", "k"), "closed");
    }

    @Test
    @DisplayName("I7: a crowd with one key gets one envelope")
    void crowdWithOneKeyGetsOneEnvelope() {
        TestRain rain = rain(3, 1, 2, 3, 4, 5);
        List<Answer> answers = Api.rush(90, 30, i -> environment().api().as("ann").key("same")
                .postAsync(rain.path() + "/grabs", "{}"));
        assertThat(answers).allMatch(answer -> answer.status() == 201);
        assertThat(answers.stream().map(Answer::body).distinct()).hasSize(1);
        assertThat(rain.grabs("ann")).hasSize(1);
    }

    @Test
    @DisplayName("G6: the window follows Redis's clock")
    void windowFollowsRedissClock() {
        TestRain rain = TestRain.unknown(environment());
        long startsAt = rain.now() + 2_000;
        long endsAt = startsAt + 2_500;
        Answer prepared = rain.prepare(TestRain.listed(
                "'startsAt':'" + Instant.ofEpochMilli(startsAt)
                + "','endsAt':'" + Instant.ofEpochMilli(endsAt) + "'", 1, 2, 3));
        assertThat(prepared.body().path("state").asText()).isEqualTo("scheduled");
        Answer early = rain.grab("ann");
        assertThat(early.word()).isEqualTo("not-open");
        assertThat(Instant.parse(early.body().path("opensAt").asText()).toEpochMilli())
                .isEqualTo(startsAt);
        Await.until("the rain opens", LIMIT, () -> rain.grab("ann").status() == 201);
        assertThat(rain.now()).isGreaterThanOrEqualTo(startsAt);
        Await.until("the view shows it", LIMIT, () -> rain.state().equals("open"));
        Await.until("the rain ends", LIMIT, () -> rain.grab("bob").word().equals("closed"));
        assertThat(rain.now()).isGreaterThanOrEqualTo(endsAt);
        Await.until("the view shows it", LIMIT, () -> rain.state().equals("closed"));
        assertThat(rain.view().body().has("takenBack")).isFalse();
        assertThat(rain.control("close").body().has("takenBack")).isTrue();
    }

    @Test
    @DisplayName("G6: closing takes back what is left, once")
    void closingTakesBackWhatIsLeftOnce() {
        TestRain rain = rain(3, 10, 20, 30);
        rain.grab("ann");
        Answer closed = rain.control("close");
        assertThat(closed.status()).isEqualTo(200);
        assertThat(closed.body().path("state").asText()).isEqualTo("closed");
        assertThat(closed.body().path("takenBack").toString())
                .isEqualTo("{\"count\":2,\"amount\":50}");
        refused(rain.grab("bob"), "closed");
        assertThat(rain.control("close").body()).isEqualTo(closed.body());
        refused(rain.control("resume"), "closed");
        JsonNode view = rain.view().body();
        assertThat(view.path("prepared").toString()).isEqualTo("{\"count\":3,\"amount\":60}");
        assertThat(view.path("left")).isEqualTo(view.path("takenBack"));
    }

    @Test
    @DisplayName("A paused rain refuses until it resumes")
    void pausedRainRefusesUntilItResumes() {
        TestRain rain = rain(3, 1);
        assertThat(rain.control("pause").body().path("state").asText()).isEqualTo("paused");
        refused(rain.grab("ann"), "paused");
        assertThat(rain.control("resume").body().path("state").asText()).isEqualTo("open");
        assertThat(rain.grab("ann").status()).isEqualTo(201);
    }

    @Test
    @DisplayName("G3, G5, I13: 10,000 grabs, on a cluster 3,000, of 1,000 envelopes hand out each"
            + " exactly once")
    void crowdGetsEachEnvelopeExactlyOnce() {
        long[] amounts = LongStream.rangeClosed(1, 1000).map(i -> i * 7919 % 1009 + 1).toArray();
        TestRain rain = rain(2, amounts);
        int grabs = setting == Setting.SINGLE ? 10_000 : 3_000;
        int users = grabs * 2 / 5;
        List<Answer> answers = Api.rush(grabs, 100, i -> rain.grabAsync("user-" + i % users));
        Map<String, Integer> words = new HashMap<>();
        Map<String, Long> sums = new HashMap<>();
        TreeSet<Integer> numbers = new TreeSet<>();
        for (Answer answer : answers) {
            words.merge(answer.word(), 1, Integer::sum);
            if (answer.status() == 201) {
                int number = answer.body().path("number").asInt();
                assertThat(numbers.add(number)).as("number " + number + " once").isTrue();
                assertThat(answer.body().path("amount").asLong()).isEqualTo(amounts[number - 1]);
                assertThat(answer.body().path("nth").asInt()).isBetween(1, 2);
                sums.merge(answer.body().path("user").asText(),
                        answer.body().path("amount").asLong(), Long::sum);
            }
        }
        assertThat(words.keySet()).isSubsetOf("", "empty", "limit-reached");
        assertThat(numbers).hasSize(1000);
        assertThat(sums.values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(LongStream.of(amounts).sum());
        Await.until("nothing is left", LIMIT, () -> rain.view().body().path("left").toString()
                .equals("{\"count\":0,\"amount\":0}"));
        for (String entry : rain.board("?by=user&top=100")) {
            String[] fields = entry.split(" ");
            assertThat(Long.parseLong(fields[2])).as(entry).isEqualTo(sums.get(fields[0]));
        }
    }
}
