package dev.rush.http;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What one pod does is in force on another: P12 and R5. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BlocklistSuite {
    private static final Duration IN_FORCE = Duration.ofSeconds(1);
    private static final Duration BUYABLE_AGAIN = Duration.ofMillis(200);
    /** For a machine that has other work. */
    private static final Duration SLACK = Duration.ofMillis(400);
    private final String user = fresh("user");
    private Pod second;

    abstract Environment environment();

    @BeforeAll
    void startSecondPod() {
        second = Environments.startPod("second-" + environment().name(), environment(), Map.of());
    }

    @AfterAll
    void stopSecondPod() {
        second.close();
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
    @DisplayName("P12: the list is kept by operators; repeating a change changes nothing")
    void listIsKeptByOperators() {
        Api operator = environment().api().asOperator();
        String path = "/v1/blocklist/" + user + "%7Bx%7D%25~";

        refused(operator.get(path), "not-found");
        is(204, operator.put(path, null));
        is(204, operator.put(path, "{}"));
        is(204, operator.get(path));
        assertThat(operator.get("/v1/blocklist").body().path("users").toString())
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
    @DisplayName("P11: pausing here pauses everywhere, for the script decides")
    void pausingHerePausesEverywhere() {
        TestSale here = TestSale.of(environment(), "apple:5:0");
        TestSale there = here.through(second.api());
        is(201, there.buy(user, "apple"));
        is(200, here.steer("pause"));
        refused(there.buy(user, "apple"), "paused");
        is(200, there.steer("resume"));
        is(201, here.buy(user, "apple"));
        is(200, there.steer("close"));
        refused(here.buy(user, "apple"), "closed");
    }
}
