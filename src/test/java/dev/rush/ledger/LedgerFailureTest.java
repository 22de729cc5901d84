package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.OutcomeClass;
import java.sql.SQLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The classification of PostgreSQL's failures. */
class LedgerFailureTest {
    @ParameterizedTest
    @CsvSource({"23505, false, true", "23514, false, false", "22003, false, false",
        "21000, false, false", "08006, true, false", "57014, true, false", ", true, false",
        "40001, true, false", "53100, true, false"})
    @DisplayName("I15: bad data and violated constraints are a row's fault, all else is an outage")
    void outagesAreRecognized(String state, boolean outage, boolean conflict) {
        LedgerFailure failure = new LedgerFailure(new SQLException("no\ndetail", state), false);
        assertThat(failure.isOutage()).isEqualTo(outage);
        assertThat(failure.isConflict()).isEqualTo(conflict);
        assertThat(failure).hasMessage(state + " no");
        assertThat(failure.outcomeClass())
                .isEqualTo(OutcomeClass.NOTHING_HAPPENED);
    }

    @ParameterizedTest
    @CsvSource({"08006, UNKNOWN", "40003, UNKNOWN", ", UNKNOWN", "23505, NOTHING_HAPPENED",
        "25P02, NOTHING_HAPPENED", "40001, NOTHING_HAPPENED"})
    @DisplayName("I8: a commit without an answer is unknown, one that was refused is not")
    void commitOutcomesAreClassified(String state, OutcomeClass expected) {
        assertThat(new LedgerFailure(new SQLException("no", state), true).outcomeClass())
                .isEqualTo(expected);
        LedgerFailure without = new LedgerFailure("not there yet");
        assertThat(without.isOutage()).isTrue();
        assertThat(without.isConflict()).isFalse();
    }

    @Test
    @DisplayName("I8: work either begins or is given up, never both")
    void attemptsAreDecidedOnce() {
        Attempt begun = new Attempt();
        assertThat(begun.begin()).isTrue();
        assertThat(begun.giveUp()).isFalse();
        Attempt given = new Attempt();
        assertThat(given.giveUp()).isTrue();
        assertThat(given.begin()).isFalse();
    }
}
