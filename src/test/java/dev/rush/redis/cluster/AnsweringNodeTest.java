package dev.rush.redis.cluster;

import static dev.rush.testing.ScriptedRedis.error;
import static dev.rush.testing.ScriptedRedis.list;
import static dev.rush.testing.ScriptedRedis.number;
import static dev.rush.testing.ScriptedRedis.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Script;
import dev.rush.redis.batch.BatchTarget;
import dev.rush.testing.Await;
import dev.rush.testing.ScriptedRedis;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** I9: a reply sets the clock of the node that answered, not that of the slot's owner. */
class AnsweringNodeTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long HOUR_MS = 3_600_000;
    private static final BatchTarget TARGET = new BatchTarget(
            Script.unfenced("sale/purchase"), Gate.keys("a", "b"), () -> List.of("1000"));

    @Test
    void replyAfterAskSetsTheClockOfTheNodeThatAnswered() throws Exception {
        try (ScriptedRedis owner = ScriptedRedis.start();
                ScriptedRedis other = ScriptedRedis.start();
                Gate gate = new Gate(RedisClientType.CLUSTER, List.of(owner.port()),
                        Map.of("rush.redis.connect", "PT1S"), loss -> { })) {
            AtomicLong deadline = new AtomicLong();
            other.clockAhead(HOUR_MS);
            other.answer(words -> reply(other, words, deadline));
            owner.answer(words -> words.get(0).startsWith("EVAL")
                    ? error("ASK 7 127.0.0.1:" + other.port()) : slots(owner, words));
            Await.until("the cluster is known", LIMIT, gate::read);
            buys(gate);
            assertThat(deadline.get()).as("by the clock of the node that was asked")
                    .isBetween(other.now() - HOUR_MS / 2, other.now() + HOUR_MS / 2);

            owner.answer(words -> words.get(0).startsWith("EVAL")
                    ? reply(owner, words, deadline) : slots(owner, words));
            buys(gate);
            assertThat(deadline.get()).as("by the owner's clock")
                    .isBetween(owner.now() - HOUR_MS / 2, owner.now() + HOUR_MS / 2);
        }
    }

    private static void buys(Gate gate) {
        Await.until("a purchase is accepted", LIMIT,
                () -> gate.batcher.submit(TARGET, "one").join().equals("accepted one"));
    }

    private static String reply(ScriptedRedis redis, List<String> words, AtomicLong deadline) {
        if (!words.get(0).startsWith("EVAL")) {
            return text("OK");
        }
        deadline.set(Long.parseLong(words.get(6)));
        return list(List.of(number(redis.now()), number(1), text("accepted one")));
    }

    private static String slots(ScriptedRedis owner, List<String> words) {
        if (!words.get(0).equals("CLUSTER")) {
            return text("OK");
        }
        return words.get(1).equals("INFO") ? text("cluster_state:ok\r\n")
                : list(List.of(list(List.of(number(0), number(16_383), list(List.of(
                        text("127.0.0.1"), number(owner.port()), text("id")))))));
    }
}
