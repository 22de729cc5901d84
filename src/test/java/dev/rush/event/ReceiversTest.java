package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.ledger.TestJournal;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Resolving hosts with a scripted name server. */
class ReceiversTest {
    private static final String HANGING = "hanging.example";
    private static final String FAILING = "failing.example";
    private static final byte[] PUBLIC = {1, 1, 1, 1};
    private static final byte[] PRIVATE = {10, 0, 0, 1};

    private final CountDownLatch answer = new CountDownLatch(1);
    private final AtomicInteger lookups = new AtomicInteger();
    private final Receivers receivers = new Receivers(TestJournal.config(Map.of(
            "rush.webhooks.max", "2", "rush.webhooks.timeout", "PT2S")), this::find);

    private InetAddress[] find(String host) throws UnknownHostException {
        if (host.equals(FAILING) && lookups.getAndIncrement() == 0) {
            throw new OutOfMemoryError("thrown by the test");
        }
        if (host.equals(HANGING)) {
            lookups.incrementAndGet();
            await();
        }
        return host.equals("mixed.example")
                ? new InetAddress[] {InetAddress.getByAddress(host, PUBLIC),
                    InetAddress.getByAddress(host, PRIVATE)}
                : new InetAddress[] {InetAddress.getByAddress(host, PUBLIC)};
    }

    private void await() {
        try {
            answer.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void stop() {
        answer.countDown();
        receivers.stop();
    }

    @Test
    @DisplayName("E1: a name server that hangs for longer than a round delays no other host")
    void hangingLookupDelaysNoOtherHost() {
        for (int round = 0; round < 3; round++) {
            assertThatThrownBy(() -> receivers.resolve(HANGING).join())
                    .isInstanceOf(CompletionException.class);
        }
        assertThat(receivers.resolve("fine.example").join().getAddress()).isEqualTo(PUBLIC);
        assertThat(lookups).hasValue(1);
        answer.countDown();
        assertThat(receivers.resolve(HANGING).join().getAddress()).isEqualTo(PUBLIC);
    }

    @Test
    @DisplayName("E1: an Error during a lookup does not prevent the next lookup of that host")
    void errorEndsItsLookupAlone() {
        assertThatThrownBy(() -> receivers.resolve(FAILING).join())
                .hasRootCauseInstanceOf(OutOfMemoryError.class);
        assertThat(receivers.resolve(FAILING).join().getAddress()).isEqualTo(PUBLIC);
    }

    @Test
    @DisplayName("E1: a name that resolves to any private address is refused every time")
    void anyPrivateAddressIsRefused() {
        for (int round = 0; round < 2; round++) {
            assertThatThrownBy(() -> receivers.resolve("mixed.example").join())
                    .hasMessageContaining("not allowed");
        }
    }
}
