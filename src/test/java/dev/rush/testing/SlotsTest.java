package dev.rush.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlotsTest {
    @Test
    void slotFollowsTheHashTag() {
        assertThat(Slots.of("123456789")).isEqualTo(12_739);
        assertThat(Slots.of("foo")).isEqualTo(12_182);
        assertThat(Slots.of("rush:{foo}:seq")).isEqualTo(12_182);
        assertThat(Slots.of("{}foo")).isNotEqualTo(12_182);
    }
}
