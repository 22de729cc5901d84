package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The backlog is visible without writers. */
class BacklogIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int ORDERS = 3;

    private static LedgerScene scene;
    private static Pod api;
    private static TestSale sale;

    @BeforeAll
    static void ordersWaitAfterTheLastWriterIsKilled() {
        scene = new LedgerScene("backlog");
        List<Pod> pods = Environments.startTogether(
                () -> scene.pod("backlog-writer", "rush.role", "writer"),
                () -> scene.pod("backlog-api", "rush.role", "api"));
        api = pods.get(1);
        try (Pod writer = pods.get(0)) {
            sale = TestSale.unknown(scene.environment(), api.api());
            sale.prepare("apple:10:1", "");
        }
        for (int i = 0; i < ORDERS; i++) {
            sale.bought("user" + i, "apple");
        }
    }

    @AfterAll
    static void end() {
        api.close();
        scene.close();
    }

    @Test
    void ordersWithoutAWriterAreVisibleInApiPods() {
        Await.until("the orders are seen", SOON,
                () -> api.metric("rush_ledger_backlog") == ORDERS, api::metrics);
        Await.until("their age is measured", SOON,
                () -> api.metric("rush_ledger_lag_seconds") > 0, api::metrics);
    }

    @Test
    void podThatStartsLaterSeesThemToo() {
        try (Pod fresh = scene.pod("backlog-fresh", "rush.role", "api")) {
            Await.until("the orders are seen", SOON,
                    () -> fresh.metric("rush_ledger_backlog") == ORDERS, fresh::metrics);
        }
    }

    @Test
    void gaugesOfWritersAreAbsentFromApiPods() {
        assertThat(api.metrics()).contains("rush_pod{role=\"api\",sink=\"postgres\"")
                .doesNotContain("rush_ledger_dead_letters", "rush_returns_alarmed",
                        "rush_books_drift");
    }
}
