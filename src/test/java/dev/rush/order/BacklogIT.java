package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The backlog is visible without writers, and absent, not 0, while it is unknown. */
class BacklogIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int ORDERS = 3;

    private static LedgerScene scene;
    private static Pod api;
    private static TestSale sale;

    @BeforeAll
    static void ordersWaitAfterTheLastWriterIsKilled() {
        scene = new LedgerScene("backlog");
        try (Pod writer = scene.pod("backlog-writer", "rush.role", "writer")) {
            api = scene.pod("backlog-api", "rush.role", "api");
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

    @Test
    void backlogIsAbsentWhileRedisIsUnreachable() {
        try (Pod blind = Environments.launchPod("backlog-blind", scene.environment(), Map.of(
                "rush.role", "api", "rush.orders.sink", "postgres",
                "quarkus.redis.hosts", "redis://127.0.0.1:1"))) {
            Await.until("the pod reports metrics", SOON, () -> reports(blind), blind::log);

            assertThat(blind.metrics()).contains("rush_redis_reachable 0.0")
                    .doesNotContain("rush_ledger_backlog", "rush_ledger_lag_seconds");
        }
    }

    private static boolean reports(Pod pod) {
        try {
            return pod.metrics().contains("rush_pod");
        } catch (UncheckedIOException e) {
            return false;
        }
    }
}
