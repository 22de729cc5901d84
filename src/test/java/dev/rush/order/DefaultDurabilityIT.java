package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api.Answer;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D1: {@code rush.durability} for the whole service. */
class DefaultDurabilityIT {
    @Test
    @DisplayName("If the service waits for the ledger, every sale does, and none may ask for less")
    void byDefault() {
        try (LedgerScene other = new LedgerScene("awaiting");
                Pod all = other.pod("awaiting", "rush.durability", "ledger")) {
            TestSale sale = TestSale.unknown(other.environment(), all.api());
            sale.prepare("apple:100:0", "");
            Answer confirmed = is(201, sale.buy("711", "apple"));
            assertThat(confirmed.body().path("status").asText()).isEqualTo("confirmed");
            assertThat(other.orders(sale.id(), "confirmed")).isEqualTo(1);
            assertThat(sale.view().body().path("durability").asText()).isEqualTo("ledger");
            for (String weaker : List.of("redis", "replicas")) {
                Answer refused = refused(TestSale.unknown(other.environment(), all.api())
                        .prepareAgain("x:1:0", "'durability':'" + weaker + "'"),
                        "invalid-request");
                assertThat(refused.body().at("/violations/0/field").asText())
                        .isEqualTo("durability");
            }
        }
    }
}
