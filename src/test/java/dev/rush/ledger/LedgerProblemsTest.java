package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.rush.http.ProblemException;
import dev.rush.http.Word;
import java.sql.SQLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LedgerProblemsTest {

    @ParameterizedTest
    @CsvSource({"true, OUTCOME_UNKNOWN", "false, UNAVAILABLE"})
    @DisplayName("A change whose COMMIT was not answered has an unknown outcome")
    void changing(boolean committing, Word word) {
        LedgerFailure lost = new LedgerFailure(
                new SQLException("the connection was lost", "08006"), committing);
        ProblemException problem = catchThrowableOfType(ProblemException.class,
                () -> LedgerProblems.changing(() -> {
                    throw lost;
                }));
        assertThat(problem.problem().word()).isEqualTo(word);
    }
}
