package dev.rush.event;

import dev.rush.ledger.TestJournal;
import dev.rush.testing.Environments;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Scenes of the SQL of events on a real PostgreSQL; the mutation test runs them too. */
class EventGuardsTest {
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
        return EventScenes.of(test).entrySet().stream()
                .map(scene -> DynamicTest.dynamicTest(scene.getKey(), scene.getValue()::play));
    }
}
