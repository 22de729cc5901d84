package dev.rush.ledger.writer;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.ledger.TestJournal;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The writer's SQL on a real PostgreSQL: scenes that its mutants run too. */
class WriterGuardsTest {
    private static EmbeddedLedger postgres;
    private static TestJournal journal;

    @BeforeAll
    static void start() {
        postgres = EmbeddedLedger.start();
        journal = new TestJournal(postgres.freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        journal.close();
        postgres.close();
    }

    @TestFactory
    Stream<DynamicTest> scenes() {
        return WriterScenes.of(journal).entrySet().stream()
                .map(scene -> DynamicTest.dynamicTest(scene.getKey(), scene.getValue()::play));
    }
}
