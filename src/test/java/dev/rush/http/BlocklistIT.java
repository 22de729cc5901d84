package dev.rush.http;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import dev.rush.testing.Setting;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Changes on one pod take effect on the others (P12, R5). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER"})
class BlocklistIT {
    private static final Duration IN_FORCE = Duration.ofSeconds(1);
    private static final Duration BUYABLE_AGAIN = Duration.ofMillis(200);
    /** Allowance for a busy machine. */
    private static final Duration SLACK = Duration.ofMillis(400);
    private static final Duration READY = Duration.ofMinutes(1);
    private static final String USERS = "rush:{blocklist}:users";
    private static final String CHANGES = "rush:{blocklist}:changes";
    private static final int MANY = 20_000;
    private static final int CHANGES_MADE = 10;
    private final String user = fresh("user");
    private Pod second;

    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    @BeforeParameterizedClassInvocation
    void startSecondPod() {
        second = Environments.startPod("second-" + environment().name(), environment(), Map.of());
    }

    @AfterParameterizedClassInvocation
    void stopSecondPod() {
        second.close();
        try (Resp resp = environment().resp(USERS)) {
            resp.command("DEL", USERS, CHANGES); // The next class needs no long list.
        }
    }

    @Test
    @DisplayName("P12: a change costs pods only its own size, however many users are blocked")
    void changeOfALongListIsCheapAndReachesAllPods() {
        block(MANY);
        TestSale there = TestSale.of(environment(), "apple:1000:0").through(second.api());
        Await.until("the list is in force elsewhere", IN_FORCE.plus(SLACK),
                () -> there.buy("blocked-2", "apple").word().equals("blocked"));
        Api operator = environment().api().asOperator();
        long before = bytesSent();
        for (int i = 0; i < CHANGES_MADE; i++) {
            String changed = user + "-" + i;
            is(204, operator.put("/v1/blocklist/" + changed, "{}"));
            Await.until("blocked elsewhere", IN_FORCE.plus(SLACK),
                    () -> there.buy(changed, "apple").word().equals("blocked"));
            is(204, operator.delete("/v1/blocklist/" + changed));
        }
        // One read of the whole list would send more than ten bytes per user.
        assertThat(bytesSent() - before).as("bytes that Redis sent while the list changed %d times",
                2 * CHANGES_MADE).isLessThan(2L * CHANGES_MADE * MANY * 5);
    }

    @Test
    @DisplayName("P12: a new pod is ready only with the list, and never sells to a blocked user")
    void newPodIsReadyWithTheListAndNeverServesABlockedUser() {
        block(MANY);
        TestSale sale = TestSale.of(environment(), "apple:1000:0");
        try (Pod late = Environments.launchPod(
                "late-" + environment().name(), environment(), Map.of())) {
            TestSale there = sale.through(late.api());
            Await.until("the pod is ready", READY, () -> {
                boolean ready = late.ready();
                String word = word(() -> there.buy("blocked-" + (MANY - 1), "apple"));
                assertThat(word).isIn(ready ? Set.of("blocked")
                        : Set.of("blocked", "unavailable", "no answer"));
                return ready;
            });
            is(201, there.buy(fresh("user"), "apple"));
        }
    }

    @Test
    @DisplayName("P12: after concurrent changes, all pods and Redis have the same list")
    void racingChangesLeaveAllPodsWithTheSameList() {
        TestSale here = TestSale.of(environment(), "apple:1000:0");
        TestSale there = here.through(second.api());
        List<String> users = IntStream.range(0, 8).mapToObj(i -> fresh("racer")).toList();
        Api.rush(160, 16, i -> (i % 2 == 0 ? environment().api() : second.api()).asOperator()
                .callAsync(i / 16 % 2 == 0 ? "PUT" : "DELETE",
                        "/v1/blocklist/" + users.get(i % users.size()), "{}"))
                .forEach(answer -> is(204, answer));
        for (String racer : users) {
            boolean blocked = environment().api().asOperator()
                    .get("/v1/blocklist/" + racer).status() == 204;
            for (TestSale sale : List.of(here, there)) {
                Await.until(racer + " is " + (blocked ? "blocked" : "let in"),
                        IN_FORCE.plus(SLACK), () ->
                        sale.buy(racer, "apple").word().equals("blocked") == blocked);
            }
        }
    }

    @Test
    @DisplayName("P12: the list is read in pages, ordered by name")
    void listIsReadInPages() {
        block(250);
        List<String> read = new ArrayList<>();
        String next = "/v1/blocklist?limit=100&after=blocked-";
        while (next != null) {
            Answer page = is(200, environment().api().asOperator().get(next));
            assertThat(page.body().path("users").size()).isLessThanOrEqualTo(100);
            page.body().path("users").forEach(name -> read.add(name.asText()));
            next = read.size() > MANY + 1_000 ? null : page.body().path("next").asText(null);
        }
        assertThat(read).isSorted().doesNotHaveDuplicates()
                .contains("blocked-0", "blocked-99", "blocked-249");
        refused(environment().api().asOperator().get("/v1/blocklist?limit=1001"),
                "invalid-request");
    }

    /** Blocks this many users directly in Redis. */
    private void block(int users) {
        try (Resp resp = environment().resp(USERS)) {
            resp.command("DEL", USERS);
            for (int i = 0; i < users; i += 1_000) {
                List<String> words = new ArrayList<>(List.of("ZADD", USERS));
                for (int n = i; n < Math.min(users, i + 1_000); n++) {
                    words.addAll(List.of("0", "blocked-" + n));
                }
                resp.command(words.toArray(String[]::new));
            }
            // As if Redis had lost changes: pods reload the list.
            resp.command("DEL", CHANGES);
            resp.command("ZADD", CHANGES, "7", "7 " + fresh("nonce") + " add blocked-1");
        }
    }

    private long bytesSent() {
        try (Resp resp = environment().resp(USERS)) {
            return resp.text("INFO", "stats").lines()
                    .filter(line -> line.startsWith("total_net_output_bytes:"))
                    .mapToLong(line -> Long.parseLong(line.substring(23).strip())).sum();
        }
    }

    private static String word(Supplier<Answer> call) {
        try {
            return call.get().word();
        } catch (RuntimeException e) {
            return "no answer"; // It does not listen yet.
        }
    }

    @Test
    @DisplayName("P12: a blocked user is refused here at once and elsewhere within a second")
    void blockedUserIsRefusedOnEveryPodWithinASecond() {
        TestSale here = TestSale.of(environment(), "apple:1000:0");
        TestSale there = here.through(second.api());
        Api operator = here.api().asOperator();
        is(201, here.buy(user, "apple"));
        is(201, there.buy(user, "apple"));

        is(204, operator.put("/v1/blocklist/" + user, "{}"));
        refused(here.buy(user, "apple"), "blocked");
        Await.until("blocked elsewhere", IN_FORCE.plus(SLACK),
                () -> there.buy(user, "apple").word().equals("blocked"));
        is(201, there.buy(fresh("user"), "apple"));

        is(204, operator.delete("/v1/blocklist/" + user));
        is(201, here.buy(user, "apple"));
        Await.until("let in again elsewhere", IN_FORCE.plus(SLACK),
                () -> there.buy(user, "apple").status() == 201);
    }

    @Test
    @DisplayName("P12: operators edit the list; repeating a change has no effect")
    void operatorsEditTheList() {
        Api operator = environment().api().asOperator();
        String path = "/v1/blocklist/" + user + "%7Bx%7D%25~";

        refused(operator.get(path), "not-found");
        is(204, operator.put(path, null));
        is(204, operator.put(path, "{}"));
        is(204, operator.get(path));
        assertThat(operator.get("/v1/blocklist?after=" + user).body().path("users").toString())
                .contains(user + "{x}%~");
        is(204, second.api().asOperator().get(path));
        is(204, operator.delete(path));
        is(204, operator.delete(path));
        refused(operator.get(path), "not-found");
        refused(operator.put("/v1/blocklist/a%20b", null), "invalid-request");
        refused(operator.put("/v1/blocklist/" + "u".repeat(129), null), "invalid-request");
        refused(operator.put(path, "{\"x\":1}"), "invalid-request");
    }

    @Test
    @DisplayName("R5: units that come back can be bought on every pod within 200 ms")
    void unitsThatComeBackAreSoldEverywhere() {
        TestSale here = TestSale.of(environment(), "apple:1:0");
        TestSale there = here.through(second.api());
        is(201, here.buy(user, "apple"));
        for (int i = 0; i < 5; i++) {
            refused(there.buy(fresh("user"), "apple"), "sold-out");
        }

        is(200, here.total("apple", 2));
        Await.until("buyable elsewhere", BUYABLE_AGAIN.plus(SLACK),
                () -> there.buy(fresh("user"), "apple").status() == 201);
    }

    @Test
    @DisplayName("P11: pausing on one pod pauses on all, because the script decides")
    void pausingHerePausesEverywhere() {
        TestSale here = TestSale.of(environment(), "apple:5:0");
        TestSale there = here.through(second.api());
        is(201, there.buy(user, "apple"));
        is(200, here.control("pause"));
        refused(there.buy(user, "apple"), "paused");
        is(200, there.control("resume"));
        is(201, here.buy(user, "apple"));
        is(200, there.control("close"));
        refused(here.buy(user, "apple"), "closed");
    }
}
