package dev.rush.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.RushConfig;
import dev.rush.ledger.TestJournal;
import dev.rush.offer.OutcomeTally;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Await;
import dev.rush.testing.ScriptedRedis;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A pod's own report, on a Redis that answers as the test says. */
class PodReportsTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    @Test
    @DisplayName("W1: a stopping pod removes its report after the one that is being stored")
    void removalComesLast() throws Exception {
        List<String> calls = new CopyOnWriteArrayList<>();
        try (ScriptedRedis redis = ScriptedRedis.start();
                Gate gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()), Map.of(),
                        loss -> { })) {
            redis.answer(words -> {
                calls.add(words.get(0));
                // The report is refused for a moment, and stored then.
                return words.get(0).equals("HSET") && Collections.frequency(calls, "HSET") < 5
                        ? ScriptedRedis.error("LOADING") : ScriptedRedis.number(1);
            });
            RushConfig config = TestJournal.config(Map.of());
            PodReports reports = new PodReports(gate.commands, new SimpleMeterRegistry(),
                    new OutcomeTally(config), config);
            reports.start(null);
            Await.until("a report is being stored", SOON, () -> calls.contains("HSET"));
            reports.stop(null);
            Await.until("it is stored", SOON, () -> Collections.frequency(calls, "HSET") >= 5);
        }
        assertThat(calls).contains("HDEL");
        assertThat(calls.subList(calls.indexOf("HDEL"), calls.size())).doesNotContain("HSET");
    }
}
