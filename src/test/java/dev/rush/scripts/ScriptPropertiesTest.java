package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Resp;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Every reply and all promised state of the scripts agree with their models under random calls.
 * {@code -Drush.seed} repeats a run; {@code -Dproperties.requests} makes it longer.
 */
class ScriptPropertiesTest {
    private static final long REQUESTS = Long.getLong("properties.requests", 50_000);

    private static EmbeddedRedis redis;
    private static LuaScripts scripts;

    private final long seed = Long.getLong("rush.seed", System.nanoTime());

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        scripts = new LuaScripts(Resp.connect(redis.port()), Map.of());
    }

    @AfterAll
    static void stop() {
        scripts.redis().close();
        redis.close();
    }

    @Test
    @DisplayName("P1 to P9, R2, I3, I4, I7, I9, I11, I14: a sale keeps what its model promises")
    void aSaleKeepsItsPromises() {
        SaleWorkload workload = new SaleWorkload(new Random(seed), scripts);

        seeded(() -> workload.run(REQUESTS));

        assertThat(workload.met()).as("replies met with -Drush.seed=" + seed).contains(
                "accepted", "replayed", "key-reused", "order-returned", "unavailable",
                "unknown-sale", "unknown-item", "not-loaded", "paused", "not-open", "closed",
                "duplicate-submission", "limit-reached", "sold-out", "insufficient-stock",
                "backlogged", "credited", "repeated", "unknown-order", "below-ordered",
                "overtaken", "done", "failed");
    }

    @Test
    @DisplayName("G3 to G6, I7, I9, I13, I14: a rain keeps what its model promises")
    void aRainKeepsItsPromises() {
        RainWorkload workload = new RainWorkload(new Random(seed), scripts);

        seeded(() -> workload.run(REQUESTS));

        assertThat(workload.met()).as("replies met with -Drush.seed=" + seed).contains(
                "accepted", "replayed", "unavailable", "unknown-rain", "not-loaded", "paused",
                "not-open", "closed", "limit-reached", "empty", "backlogged", "done",
                "failed");
    }

    @Test
    @DisplayName("S4, I3: transfers between shards neither make nor lose units")
    void transfersKeepAllUnits() {
        ShardWorkload workload = new ShardWorkload(new Random(seed), scripts);

        seeded(() -> workload.run(REQUESTS / 20));

        assertThat(workload.met()).as("replies met with -Drush.seed=" + seed).contains(
                "accepted", "sold-out", "insufficient-stock", "taken", "empty", "given",
                "repeated", "overtaken");
    }

    private void seeded(Runnable run) {
        try {
            run.run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("repeat with -Drush.seed=" + seed, e);
        }
    }
}
