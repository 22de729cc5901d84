package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.event.EventKills.Tally;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** E1: a short run of {@code ./mvnw -Pevents-kills}. */
class EventKillsIT {
    private static final int ORDERS = 4_000;
    private static final int KILLS = 2;

    @Test
    @DisplayName("E1: while the dispatching pod is killed, webhook and feed get each event at"
            + " least once, an order's events in order, and duplicates unchanged")
    void killsLoseNoEvent() {
        try (EventKills test = new EventKills()) {
            EventKills.Result result = test.run(ORDERS, KILLS);
            assertThat(result.events()).isGreaterThan(ORDERS);
            assertThat(result.webhook()).matches(Tally::isCorrect, "no mistakes");
            assertThat(result.feed()).matches(Tally::isCorrect, "no mistakes");
        }
    }
}
