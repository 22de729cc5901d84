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
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** X5: rate limits per user and pod. */
class RateLimitIT {
    private static final int BURST = 3;
    private static final Environment ENVIRONMENT = Environments.single();
    private static Pod pod;
    private final String user = fresh("user");

    @BeforeAll
    static void start() {
        pod = Environments.startPod("rate-limited", ENVIRONMENT, Map.of(
                "rush.rate-limit.per-second", "1",
                "rush.rate-limit.burst", Integer.toString(BURST)));
    }

    @AfterAll
    static void stop() {
        pod.close();
    }

    private static TestSale sale() {
        return TestSale.of(ENVIRONMENT, "apple:1000:0").through(pod.api());
    }

    @Test
    @DisplayName("X5: beyond the burst 429, with Retry-After and RateLimit headers")
    void beyondTheBurstIsRateLimited() {
        TestSale sale = sale();

        long start = System.nanoTime();
        List<Answer> answers = Api.rush(40, 40, i -> sale.buyAsync(user, "apple"));

        List<Answer> limited = answers.stream().filter(a -> a.status() != 201).toList();
        assertThat(limited).hasSizeBetween(40 - BURST - (int) allowedSince(start), 40 - BURST);
        for (Answer answer : limited) {
            refused(answer, "rate-limited");
            assertThat(answer.header("RateLimit")).matches("\"user\";r=0;t=[1-9]\\d*");
            assertThat(answer.header("RateLimit-Policy")).isEqualTo("\"user\";q=3;w=3");
        }
        assertThat(sale.left("apple")).isEqualTo(1_000 - (40 - limited.size()));
    }

    @Test
    @DisplayName("X5: after Retry-After the user may go on; others were never limited")
    void afterRetryAfterTheUserMayGoOn() {
        TestSale sale = sale();
        Answer answer = sale.buy(user, "apple");
        for (int i = 0; i < 20 && answer.status() != 429; i++) {
            answer = sale.buy(user, "apple");
        }
        refused(answer, "rate-limited");
        is(201, sale.buy(fresh("user"), "apple"));

        Await.sleep(Duration.ofSeconds(Long.parseLong(answer.header("Retry-After"))).toMillis());
        is(201, sale.buy(user, "apple"));
    }

    @Test
    @DisplayName("X5: operators are exempt, reading is not limited, refusals count too")
    void operatorsAndReadersAreExempt() {
        TestSale sale = sale();
        Api operator = sale.api().as(user).with("X-User-Roles", "operator");
        for (int i = 0; i < 5 * BURST; i++) {
            is(201, operator.post(sale.purchases(), TestSale.body("apple")));
            is(200, sale.api().as(user).get(sale.path() + "/orders"));
            is(200, sale.view());
        }
        int refusals = 0;
        long start = System.nanoTime();
        while (refusals < 100 && sale.buy(user, "melon").status() == 404) {
            refusals++;
        }
        assertThat(refusals).isBetween(BURST, BURST + (int) allowedSince(start));
    }

    /** Requests that one per second has allowed since then, however slow the machine. */
    private static long allowedSince(long startNanos) {
        return 1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
    }
}
