package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Resp;
import dev.rush.testing.Setting;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Duplicate guards (P8) and windows (P9). */
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER", "SHARDS"})
class GuardIT {
    private static final String LONG = ",'duplicateGuardWindow':'PT1H'";
    private final String user = fresh("user");

    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    @Test
    @DisplayName("P8 none: nothing is a duplicate")
    void withoutGuardNothingIsDuplicate() {
        TestSale sale = TestSale.of(environment(), "apple:10:0", "'duplicateGuard':'none'");
        sale.bought(user, "apple");
        sale.bought(user, "apple");
    }

    @Test
    @DisplayName("P8 cart: the same user with the same lines, in any order, within the window")
    void cartGuardRecognisesTheSameLinesInAnyOrder() {
        TestSale sale = TestSale.of(environment(), "apple:10:0,pear:10:0",
                "'duplicateGuard':'cart'" + LONG);

        sale.bought(user, "apple:1,pear:2");
        refused(sale.buy(user, "apple:1,pear:2"), "duplicate-submission");
        refused(sale.buy(user, "pear:2,apple:1", fresh("key")), "duplicate-submission");
        refused(sale.buy(user, "pear:1,apple:1,pear:1"), "duplicate-submission");
        sale.bought(user, "apple:1,pear:1");
        sale.bought(user, "apple:1");
        refused(sale.buy(user, "apple"), "duplicate-submission");
        sale.bought(fresh("user"), "apple:1,pear:2");
    }

    @Test
    @DisplayName("P8 user: the same user with anything within the window; others are free")
    void userGuardRecognisesTheUser() {
        TestSale sale = TestSale.of(environment(), "apple:10:0,pear:10:0",
                "'duplicateGuard':'user'" + LONG);

        sale.bought(user, "apple");
        refused(sale.buy(user, "pear"), "duplicate-submission");
        refused(sale.buy(user, "apple:2", fresh("key")), "duplicate-submission");
        sale.bought(fresh("user"), "pear");
    }

    @Test
    @DisplayName("P8: the guard ends with its window, and a refused purchase sets none")
    void guardEndsWithItsWindow() {
        TestSale sale = TestSale.of(environment(), "apple:1:0",
                "'duplicateGuard':'user','duplicateGuardWindow':'PT0.3S'");
        refused(sale.buy(user, "apple:2"), "insufficient-stock");
        sale.bought(user, "apple");
        is(200, sale.total("apple", 10));

        Await.until("the guard ends", Duration.ofSeconds(5),
                () -> sale.buy(user, "apple").status() == 201);
    }

    @Test
    @DisplayName("P9: a sale opens and closes by itself, by Redis's clock")
    void windowFollowsRedissClock() {
        environment().api();
        Instant now = redisTime();
        Instant opens = now.plusMillis(1_500);
        Instant closes = opens.plusSeconds(2);
        TestSale sale = TestSale.of(environment(), "apple:1000:0",
                "'opensAt':'%s','closesAt':'%s'".formatted(opens, closes));

        Answer early = sale.buy(user, "apple");
        refused(early, "not-open");
        assertThat(Instant.parse(early.body().path("opensAt").asText()).toEpochMilli())
                .isEqualTo(opens.toEpochMilli());
        Await.until("the sale opens", Duration.ofSeconds(10),
                () -> sale.buy(fresh("user"), "apple").status() == 201);
        Await.until("the sale closes", Duration.ofSeconds(10),
                () -> sale.buy(fresh("user"), "apple").word().equals("closed"));
        for (String record : sale.hash("buyers").values()) {
            long placedAt = Long.parseLong(record.split(" ")[6]);
            assertThat(placedAt).isBetween(opens.toEpochMilli(), closes.toEpochMilli());
        }
        Await.until("the view shows it", Duration.ofSeconds(5),
                () -> sale.view().body().path("state").asText().equals("closed"));
    }

    @Test
    @DisplayName("P9: a sale is scheduled before its window, and closed after it")
    void stateFollowsTheWindow() {
        Instant now = redisTime();
        TestSale later = TestSale.of(environment(), "apple:1:0",
                "'opensAt':'" + now.plusSeconds(3_600) + "'");
        TestSale over = TestSale.unknown(environment());
        String window = "";
        int status = 400;
        for (long seconds = 1; status == 400; seconds *= 2) { // A busy machine may be late.
            window = "'opensAt':'%s','closesAt':'%s'"
                    .formatted(now.minusSeconds(7_200), redisTime().plusSeconds(seconds));
            status = over.prepareAgain("apple:1:0", window).status();
        }
        Await.until("its end has passed", Duration.ofSeconds(20),
                () -> over.view().body().path("state").asText().equals("closed"));
        is(200, over.prepareAgain("apple:1:0", window)); // A repeated call gets the same answer.

        assertThat(later.view().body().path("state").asText()).isEqualTo("scheduled");
        refused(later.buy(user, "apple"), "not-open");
        assertThat(over.view().body().path("state").asText()).isEqualTo("closed");
        refused(over.buy(user, "apple"), "closed");
        refused(over.control("resume"), "closed");
    }

    private Instant redisTime() {
        try (Resp resp = environment().resp("rush:partitions")) {
            return Instant.ofEpochSecond(Long.parseLong((String) resp.list("TIME").get(0)))
                    .plusMillis(Long.parseLong((String) resp.list("TIME").get(1)) / 1_000);
        }
    }
}
