package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Environments;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** X5: anybody may ask for retired sales and rains, in any number. */
class RetiredViewsTest {
    /** More than the ledger has threads for reads. */
    private static final int VIEWS = 20;
    private static TestJournal journal;

    @BeforeAll
    static void start() {
        journal = new TestJournal(Environments.ledger().freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        journal.close();
    }

    private static List<Function<String, CompletableFuture<?>>> views() {
        SaleLedger sales = new SaleLedger(journal.ledger, null);
        RainLedger rains = new RainLedger(journal.ledger, null);
        return List.of(sales::kept, rains::kept);
    }

    @ParameterizedTest
    @MethodSource("views")
    @DisplayName("X5: a flood of views of retired sales and rains delays no other read")
    void floodDelaysNoOtherRead(Function<String, CompletableFuture<?>> view) throws Exception {
        try (Connection holder = journal.connect(); Statement lock = holder.createStatement()) {
            lock.execute("LOCK TABLE sales, rains IN ACCESS EXCLUSIVE MODE");
            List<? extends CompletableFuture<?>> flood = IntStream.range(0, VIEWS)
                    .mapToObj(i -> view.apply("retired-" + i)).toList();
            assertThat(journal.ledger.<Integer>read((connection, ledgerState) -> 1)
                    .get(20, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(flood).noneMatch(CompletableFuture::isDone);
            holder.rollback();
        }
    }
}
