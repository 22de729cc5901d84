package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.rush.http.OutcomeCode;
import dev.rush.http.ProblemException;
import java.sql.SQLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LedgerProblemsTest {

    @ParameterizedTest
    @CsvSource({"true, OUTCOME_UNKNOWN", "false, UNAVAILABLE"})
    @DisplayName("A change whose COMMIT was not answered has an unknown outcome")
    void changing(boolean committing, OutcomeCode code) {
        LedgerFailure lost = new LedgerFailure(
                new SQLException("the connection was lost", "08006"), committing);
        ProblemException problem = catchThrowableOfType(ProblemException.class,
                () -> LedgerProblems.changing(() -> {
                    throw lost;
                }));
        assertThat(problem.problem().code()).isEqualTo(code);
    }
}
