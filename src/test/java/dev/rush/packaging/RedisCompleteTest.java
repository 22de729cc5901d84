package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A round of healing ends early only if nothing that CLUSTER NODES prints needs healing. */
class RedisCompleteTest {
    private static final Path SCRIPTS = Path.of("k8s/redis/scripts").toAbsolutePath();
    private static final String HOSTS = "10.0.0.1 redis-0.redis\n10.0.0.2 redis-1.redis";
    private static final String MASTER =
            "a 10.0.0.1:6379@16379,redis-0.redis myself,master - 0 1 1 connected 0-16383\n";
    private static final String REPLICA =
            "b 10.0.0.2:6379@16379,redis-1.redis slave a 0 1 1 connected\n";

    @TempDir
    Path folder;

    @Test
    void completeClusterNeedsNothing() throws IOException {
        assertThat(isComplete(MASTER + REPLICA)).isTrue();
        assertThat(isComplete(MASTER.replace("\n", " [1->-b]\n") + REPLICA))
                .as("while slots are moved").isTrue();
    }

    /** Redis prints its port without TLS, which is none, over a connection without TLS. */
    @Test
    void portOfANodeWithTlsMayBeZero() throws IOException {
        assertThat(isComplete((MASTER + REPLICA).replace(":6379@", ":0@"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "b 10.0.0.3:6379@16379,redis-1.redis slave a 0 1 1 connected",
        "b 10.0.0.1:6379@16379,redis-1.redis slave a 0 1 1 connected",
        "b 10.0.0.1:6379@16379,redis-0.redis slave a 0 1 1 connected",
        "b 10.0.0.2:6379@16379,redis-1.redis slave,fail? a 0 1 1 connected",
        "b 10.0.0.2:6379@16379,redis-1.redis slave a 0 1 1 disconnected",
        "b 10.0.0.2:6379@16379,redis-1.redis master - 0 1 1 connected",
        ""})
    void peerThatIsNotInOrderNeedsHealing(String peer) throws IOException {
        assertThat(isComplete(MASTER + peer)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"c :0@0 slave,noaddr a 0 1 1 disconnected",
        "c 10.0.0.2:6379@16379,redis-1.redis slave a 0 1 1 connected"})
    void furtherNodeNeedsHealing(String node) throws IOException {
        assertThat(isComplete(MASTER + REPLICA + node)).isFalse();
    }

    @Test
    void joiningNodeNeedsHealing() throws IOException {
        Files.createFile(folder.resolve("joining"));
        assertThat(isComplete(MASTER + REPLICA)).isFalse();
    }

    private boolean isComplete(String nodes) throws IOException {
        Path password = Files.writeString(folder.resolve("password"), "apple");
        Command ended = Command.attempt(Map.of("REDIS_AUTH", password.toString(),
                "REDIS_NODES", "2", "REDIS_DATA", folder.toString(), "SCRIPTS", SCRIPTS.toString(),
                "HOSTS", HOSTS, "NODES", nodes.strip()), "sh", "-euc", """
                . "$SCRIPTS/lib.sh"
                . "$SCRIPTS/heal.sh"
                hosts=$HOSTS
                nodes=$NODES
                if is_complete; then echo complete; else echo incomplete; fi""");
        assertThat(ended.output()).isIn("complete\n", "incomplete\n");
        return ended.output().startsWith("complete");
    }
}
