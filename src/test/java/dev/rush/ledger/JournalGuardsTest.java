package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Environments;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The journal's SQL on a real PostgreSQL: scenes that its mutants run too. */
class JournalGuardsTest {
    private static TestJournal test;

    @BeforeAll
    static void start() {
        test = new TestJournal(Environments.ledger().freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        test.close();
    }

    @TestFactory
    Stream<DynamicTest> scenes() {
        return JournalScenes.of(test).entrySet().stream()
                .map(scene -> DynamicTest.dynamicTest(scene.getKey(), scene.getValue()::play));
    }

    @Test
    void eachMutantOfTheSqlIsAtOnePlace() {
        assertThat(SqlMutants.all()).hasSizeGreaterThan(20).allSatisfy(mutant ->
                assertThat(mutant.pattern().matcher(SqlMutants.source(mutant.file())).results()
                        .count()).isEqualTo(1));
    }
}
