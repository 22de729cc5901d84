package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.event.WebhookRound.State;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How many events a webhook is told of in one round. */
class WebhookSizeTest {
    private static final long QUICK = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SLOW = TimeUnit.SECONDS.toNanos(2);
    private static final State MORE = new State(true, null, 0);

    @Test
    @DisplayName("A quick receiver is told of twice as many each time, up to a bound")
    void grows() {
        int size = WebhookRound.EVENTS_FEW;
        for (int i = 0; i < 10; i++) {
            int next = WebhookDispatcher.nextSize(size, MORE, QUICK);
            assertThat(next).isEqualTo(Math.min(2 * size, WebhookRound.EVENTS_MAX));
            size = next;
        }
    }

    @Test
    @DisplayName("A slow one, one that refused something, or a round that failed begins with few")
    void shrinks() {
        assertThat(WebhookDispatcher.nextSize(800, MORE, SLOW)).isEqualTo(WebhookRound.EVENTS_FEW);
        assertThat(WebhookDispatcher.nextSize(800, new State(true, Instant.EPOCH, 1), QUICK))
                .isEqualTo(WebhookRound.EVENTS_FEW);
        assertThat(WebhookDispatcher.nextSize(800, null, QUICK)).isEqualTo(WebhookRound.EVENTS_FEW);
    }

    @Test
    @DisplayName("A round with nothing to do says nothing of the receiver")
    void stays() {
        assertThat(WebhookDispatcher.nextSize(200, new State(false, null, 0), QUICK)).isEqualTo(200);
    }
}
