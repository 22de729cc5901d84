package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which patterns are valid, and which types they match. */
class EventTypesTest {

    @ParameterizedTest
    @ValueSource(strings = {"dev.rush.*", "dev.rush.order.*", "dev.rush.order.confirmed",
        "dev.rush.rain.emptied", "dev.*"})
    void patternOfSomeTypeIsValid(String pattern) {
        assertThat(EventTypes.isPattern(pattern)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*", "dev.rush", "dev.rush.order", "dev.rush.order.",
        "dev.rush.order.paid", "dev.rush.order*", "dev.rush.orders.*", "dev.rush.*.confirmed",
        "dev.rush.rain.changed"})
    void patternOfNoTypeIsInvalid(String pattern) {
        assertThat(EventTypes.isPattern(pattern)).isFalse();
        assertThat(EventTypes.isPattern(null)).isFalse();
    }

    @Test
    void patternMatchesItsTypeOrPrefix() {
        List<String> patterns = List.of("dev.rush.grab.*", "dev.rush.order.confirmed");
        assertThat(EventTypes.matches(patterns, "dev.rush.grab.rejected")).isTrue();
        assertThat(EventTypes.matches(patterns, "dev.rush.order.confirmed")).isTrue();
        assertThat(EventTypes.matches(patterns, "dev.rush.order.reserved")).isFalse();
        assertThat(EventTypes.matches(patterns, "dev.rush.sale.paused")).isFalse();
    }
}
