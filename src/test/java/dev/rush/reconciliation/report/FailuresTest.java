package dev.rush.reconciliation.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailuresTest {

    private final List<String> lines = new ArrayList<>();
    private final Failures failures = new Failures(lines::add, "%d fail, such as %s");

    private List<String> round(String... subjects) {
        lines.clear();
        for (String subject : subjects) {
            failures.note(subject, new IllegalStateException("no " + subject));
        }
        failures.endRound();
        return List.copyOf(lines);
    }

    @Test
    void newFailuresOfARoundAreLoggedInOneLine() {
        assertThat(round()).isEmpty();
        assertThat(round("a", "b", "a")).containsExactly("2 fail, such as a: no a");
        assertThat(round("b", "a")).isEmpty();
        assertThat(round("a", "c")).containsExactly("1 fail, such as c: no c");
        assertThat(round("c")).isEmpty();
        assertThat(round("a")).as("after it had recovered").hasSize(1);
    }
}
