package dev.rush.reconciliation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.order.LedgerPods;
import dev.rush.redis.Partitions;
import dev.rush.testing.Api;
import dev.rush.testing.Await;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Books of a rain (B2): granted and remaining envelopes add up to those prepared. */
class RainBooksIT {

    private static final Partitions PARTITIONS = new Partitions(64);
    private static LedgerPods pods;

    @BeforeAll
    static void start() {
        pods = new LedgerPods("rain-books", Map.of());
    }

    @AfterAll
    static void stop() {
        pods.close();
    }

    private static JsonNode books(String rain) {
        return pods.api().asOperator().get("/v1/rains/" + rain + "/books").body();
    }

    private static void prepare(String rain) {
        Await.until("the rain is prepared", LedgerPods.SOON, () -> pods.api().asOperator().put(
                "/v1/rains/" + rain, "{\"limitPerUser\":3,\"envelopes\":{\"amounts\":"
                        + "[9,4,5,2,7,8,6,10,3,1]}}").status() == 201);
    }

    @Test
    void envelopesAndMoneyAddUpAndASurplusEnvelopeRaisesTheAlarm() {
        prepare("r1");
        Api.rush(7, 7, i -> pods.api().as("u" + i).postAsync("/v1/rains/r1/grabs", null));
        Await.until("the ledger has them", LedgerPods.SOON,
                () -> books("r1").at("/ledger/count").asLong() == 7, () -> "" + books("r1"));
        JsonNode books = books("r1");
        assertThat(books.path("verdict").asText()).as("%s", books).isEqualTo("balanced");
        assertThat(books.at("/prepared/count").asLong()).isEqualTo(10);
        assertThat(books.at("/prepared/amount").asLong()).isEqualTo(55);
        assertThat(books.at("/granted/count").asLong()).isEqualTo(7);
        assertThat(books.at("/granted/amount").asLong()).isEqualTo(41);
        assertThat(books.at("/left/count").asLong()).isEqualTo(3);
        assertThat(books.at("/left/amount").asLong()).isEqualTo(14);
        assertThat(books.at("/ledger/amount").asLong()).isEqualTo(41);
        assertThat(books.path("inStream").asLong(-1)).isZero();
        assertThat(books.path("deadLetters").asLong(-1)).isZero();
        assertThat(books.path("drift").asLong(-1)).isZero();

        pods.update("DELETE FROM grabs WHERE rain = ? AND number = 1", "r1");
        pods.update("UPDATE rains SET granted = granted - 1, granted_amount = granted_amount - 9"
                + " WHERE rain = ?", "r1");
        assertThat(books("r1").path("verdict").asText()).isEqualTo("undersold");
        assertThat(books("r1").path("drift").asLong()).isEqualTo(1);
        Await.until("the alarm is on", LedgerPods.SOON, () -> pods.metric("rush_books_drift") > 0);

        prepare("r2");
        pods.redis("LPOP", PARTITIONS.of("r2").key("rain:r2:envelopes"));
        assertThat(books("r2").path("verdict").asText()).isEqualTo("not-loaded");
        assertThat(pods.api().asOperator().get("/v1/rains/none/books").word())
                .isEqualTo("unknown-rain");
    }
}
