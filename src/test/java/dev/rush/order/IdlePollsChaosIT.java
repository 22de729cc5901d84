package dev.rush.order;

import dev.rush.redis.Partitions;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How quickly an idle writer finds orders that another pod accepted. Readers back off fully only
 * after a while without orders, so this is not part of the ordinary run.
 */
@Tag("chaos")
class IdlePollsChaosIT {
    private static final int SALES = 40;
    /** Pauses double from 10 ms, so by then one of 20 s has begun. */
    private static final long QUIET_MS = 25_000;
    private static final Duration FIRST = Duration.ofSeconds(60);

    @Test
    @DisplayName("O2: once one order of another pod is found, all partitions are polled often")
    void oneFoundOrderMakesAllReadersPollSoon() {
        try (LedgerScene scene = new LedgerScene("polls");
                Pod api = scene.pod("polls-api", "rush.role", "api");
                Pod writer = scene.pod("polls-writer", "rush.role", "writer",
                        "rush.writer.idle-polls", "1")) {
            List<TestSale> sales = new ArrayList<>();
            Set<Integer> partitions = new HashSet<>();
            while (sales.size() < SALES) {
                TestSale sale = TestSale.unknown(scene.environment(), api.api());
                if (partitions.add(new Partitions(64).of(sale.id()).index())) {
                    sale.prepare("apple:10:1", "");
                    sales.add(sale);
                }
            }
            Await.sleep(QUIET_MS);

            sales.get(0).bought("first", "apple");
            Await.until("the first order is found", FIRST,
                    () -> scene.orders(sales.get(0).id(), "confirmed") == 1, writer::log);
            sales.forEach(sale -> sale.bought("second", "apple"));
            Await.until("all others are found", LedgerScene.SOON, () ->
                    scene.count("SELECT count(*) FROM order_states") == SALES + 1, writer::log);
        }
    }
}
