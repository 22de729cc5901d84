package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.Position;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The promises of the SQL of sinks, each as a scene. */
final class SinkScenes {
    private static final Position FIRST = new Position(2, 5, 7);

    private final TestJournal test;

    SinkScenes(TestJournal test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("O5: a stale reader cannot move a sink's position", this::moved);
        return all;
    }

    private Position find(String sink) {
        return test.transact((connection, ledgerState) -> SinkRows.find(connection, sink));
    }

    private boolean move(String sink, Position from, Position to) {
        return test.transact((connection, ledgerState) ->
                SinkRows.move(connection, sink, from, to));
    }

    private void moved() {
        String other = test.id("sink");
        assertThat(move(other, null, FIRST)).isTrue();
        for (Position next : List.of(new Position(3, 5, 7), new Position(2, 6, 7),
                new Position(2, 5, 8))) {
            String sink = test.id("sink");
            assertThat(find(sink)).isNull();
            assertThat(move(sink, null, FIRST)).isTrue();
            assertThat(move(sink, null, next)).isFalse();
            assertThat(move(sink, FIRST, next)).isTrue();
            assertThat(move(sink, FIRST, next)).isFalse();
            assertThat(find(sink)).isEqualTo(next);
            assertThat(move(sink, next, next)).isTrue();
        }
        assertThat(find(other)).isEqualTo(FIRST);
    }
}
