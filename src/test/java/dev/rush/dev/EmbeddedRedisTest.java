package dev.rush.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.testing.Resp;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class EmbeddedRedisTest {
    @Test
    void killedServerKeepsItsDataAndClosedOneLeavesNothing() throws Exception {
        EmbeddedRedis redis = EmbeddedRedis.start("--appendfsync", "always");
        try (redis) {
            try (Resp resp = Resp.connect(redis.port())) {
                resp.command("SET", "k", "v");
            }
            long first = redis.pid();
            redis.kill();
            assertThat(ProcessHandle.of(first)).isEmpty();
            redis.restart();
            try (Resp resp = Resp.connect(redis.port())) {
                assertThat(resp.command("GET", "k")).isEqualTo("v");
                assertThat(resp.text("INFO", "server")).contains("redis_version:");
            }
            redis.kill();
            redis.loseData();
            redis.restart();
            try (Resp resp = Resp.connect(redis.port())) {
                assertThat(resp.command("GET", "k")).isNull();
            }
        }
        assertThat(redis.alive()).isFalse();
        assertThat(Files.exists(redis.folder())).isFalse();
    }

    @Test
    void serverThatRefusesItsConfigurationSaysWhy() {
        assertThatThrownBy(() -> EmbeddedRedis.start("--no-such-option", "1").close())
                .hasMessageContaining("no-such-option");
    }

    @Test
    void pausedServerCanBeStopped() {
        EmbeddedRedis redis = EmbeddedRedis.start();
        redis.pause();
        assertThat(redis.alive()).isTrue();
        redis.kill();
        assertThat(redis.alive()).isFalse();
        redis.close();
    }
}
