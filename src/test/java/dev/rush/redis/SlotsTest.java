package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** S2: the service computes slots as Redis Cluster does. */
class SlotsTest {
    @Test
    @DisplayName("S2: slots are those of the cluster specification")
    void slotsOfTheSpecification() {
        assertThat(Slots.of("123456789")).isEqualTo(0x31C3);
        assertThat(Slots.of("foo")).isEqualTo(12_182);
        assertThat(Slots.of("{user1000}.following")).isEqualTo(Slots.of("user1000"));
        assertThat(Slots.of("foo{}{bar}")).isEqualTo(Slots.of("foo{}{bar}"))
                .isNotEqualTo(Slots.of("bar"));
        assertThat(Slots.of("foo{{bar}}zap")).isEqualTo(Slots.of("{bar"));
        assertThat(Slots.of("foo{bar}{zap}")).isEqualTo(Slots.of("bar"));
    }

    @Test
    @DisplayName("S2: two independent computations agree on random keys")
    void independentComputationsAgree() {
        long seed = Long.getLong("rush.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder key = new StringBuilder();
            for (int length = random.nextInt(20); length > 0; length--) {
                key.append("{}:abcäß€.-7 ".charAt(random.nextInt(12)));
            }
            assertThat(Slots.of(key.toString())).as("seed %d, key %s", seed, key)
                    .isEqualTo(dev.rush.testing.Slots.of(key.toString()))
                    .isBetween(0, Slots.COUNT - 1);
        }
    }
}
