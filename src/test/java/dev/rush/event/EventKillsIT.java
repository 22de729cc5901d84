package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.event.EventKills.Told;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** E1: a few of the kills of {@code ./mvnw -Pevents-kills}. */
class EventKillsIT {
    private static final int ORDERS = 4_000;
    private static final int KILLS = 3;

    @Test
    @DisplayName("E1: while the pod that dispatches is killed, each event comes at least once by"
            + " webhook and feed, those of an order in their order, and again unchanged")
    void killsLoseNoEvent() {
        try (EventKills test = new EventKills()) {
            EventKills.Result result = test.run(ORDERS, KILLS);
            assertThat(result.events()).isGreaterThan(ORDERS);
            assertThat(result.webhook()).matches(Told::isWell, "loses and mistakes none");
            assertThat(result.feed()).matches(Told::isWell, "loses and mistakes none");
        }
    }
}
