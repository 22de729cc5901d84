package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rush.ledger.Position;
import dev.rush.ledger.TestJournal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Reads the events of a journal as a client would, page by page. */
class EventWalk {
    static final int MONTH = TestJournal.MONTH;
    private static final ObjectMapper JSON = new ObjectMapper();

    final TestJournal test;

    EventWalk(TestJournal test) {
        this.test = test;
    }

    /** Raises the epoch by a new check, so that no scene reads another's events. */
    final Position fresh() {
        test.check();
        return new Position(Integer.parseInt(test.sql("SELECT epoch FROM ledger")), 0, 0);
    }

    final EventReader.Page read(Position after, int limit) {
        return test.transact((connection, ledgerState) ->
                EventReader.read(connection, after, limit));
    }

    final List<CloudEvent> walk(Position after, int limit) {
        List<CloudEvent> walked = new ArrayList<>();
        Position at = after;
        for (EventReader.Page page = read(at, limit);
                !page.events().isEmpty() || !page.isEnd(); page = read(at, limit)) {
            assertThat(page.events()).hasSizeLessThanOrEqualTo(limit);
            Position next = page.next();
            assertThat(Position.parse(next.text())).isEqualTo(next).isNotEqualTo(at);
            assertThat(test.<Boolean>transact((connection, ledgerState) ->
                    EventReader.readIfKnown(connection, next, 1) != null))
                    .as("%s is known", next).isTrue();
            walked.addAll(page.events());
            at = next;
        }
        return walked;
    }

    static List<String> ids(List<CloudEvent> events) {
        return events.stream().map(CloudEvent::id).toList();
    }

    static JsonNode json(Object value) {
        return JSON.valueToTree(value);
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
