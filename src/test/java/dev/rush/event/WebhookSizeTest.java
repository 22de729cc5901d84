package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.event.WebhookRound.State;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How many events a round sends to a webhook. */
class WebhookSizeTest {
    private static final long QUICK = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SLOW = TimeUnit.SECONDS.toNanos(2);
    private static final State MORE = new State(true, null, 0);

    @Test
    @DisplayName("The rounds of a fast receiver double in size, up to a maximum")
    void grows() {
        int size = WebhookRound.EVENTS_FEW;
        for (int i = 0; i < 10; i++) {
            int next = WebhookDispatcher.nextSize(size, MORE, QUICK);
            assertThat(next).isEqualTo(Math.min(2 * size, WebhookRound.EVENTS_MAX));
            size = next;
        }
    }

    @Test
    @DisplayName("After a slow, refused or failed round the next one is small")
    void shrinks() {
        assertThat(WebhookDispatcher.nextSize(800, MORE, SLOW)).isEqualTo(WebhookRound.EVENTS_FEW);
        assertThat(WebhookDispatcher.nextSize(800, new State(true, Instant.EPOCH, 1), QUICK))
                .isEqualTo(WebhookRound.EVENTS_FEW);
        assertThat(WebhookDispatcher.nextSize(800, null, QUICK)).isEqualTo(WebhookRound.EVENTS_FEW);
    }

    @Test
    @DisplayName("A round without deliveries does not change the size")
    void stays() {
        assertThat(WebhookDispatcher.nextSize(200, new State(false, null, 0), QUICK))
                .isEqualTo(200);
    }
}
