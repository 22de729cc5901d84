package dev.rush.ledger.writer;

import dev.rush.ledger.TestJournal;
import dev.rush.testing.Environments;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The writer's SQL on a real PostgreSQL: scenes that its mutants run too. */
class WriterGuardsTest {
    private static TestJournal journal;

    @BeforeAll
    static void start() {
        journal = new TestJournal(Environments.ledger().freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        journal.close();
    }

    @TestFactory
    Stream<DynamicTest> scenes() {
        return WriterScenes.of(journal).entrySet().stream()
                .map(scene -> DynamicTest.dynamicTest(scene.getKey(), scene.getValue()::play));
    }
}
