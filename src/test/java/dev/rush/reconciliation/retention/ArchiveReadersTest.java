package dev.rush.reconciliation.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.TestJournal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Archiving a month waits for the readers of its events, and their cursors expire. */
class ArchiveReadersTest extends OnSoldMonth {
    /** The position of the last event, which is a step, as SQL values. */
    private String lastEvent() {
        // The place of a step in the feed: EventReader.AFTER_ITEMS + place.
        return test.sql("SELECT concat_ws(', ', epoch, xact, place + (1::bigint << 32))"
                + " FROM steps");
    }

    @Test
    @DisplayName("A2: a month stays until all webhooks have read its events")
    void unreadByWebhooks() {
        retire();
        String last = lastEvent();
        for (String webhook : List.of("'ahead', " + last, "'slow', 1, 0, 0")) {
            test.sql("INSERT INTO webhooks (webhook, epoch, xact, place, url, types, secret)"
                    + " VALUES (" + webhook + ", '', '{}', '')");
        }
        assertThat(text(refused(MONTH))).contains("\"subjects\":[\"webhook slow\"]");
        assertThat(test.sql("SELECT state FROM sales")).isEqualTo("retired");
        test.sql("DELETE FROM webhooks WHERE webhook = 'slow'");
        assertArchived(archive.archive(MONTH, ANN));
    }

    @Test
    @DisplayName("A2: a month stays until Kafka has read its events, if it was ever fed")
    void unreadByKafka() {
        retire();
        String last = lastEvent();
        Archive fed = new Archive(test.ledger, lease,
                TestJournal.config(Map.of("rush.orders.sink", "both")));
        assertThat(text(refused(fed, MONTH))).contains("\"subjects\":[\"kafka\"]");
        test.sql("INSERT INTO sinks (sink, epoch, xact, place) VALUES ('kafka', " + last + ")");
        assertArchived(fed.archive(MONTH, ANN));
    }

    @Test
    @DisplayName("A2: the ledger keeps the position of an archived month's last event")
    void lastEventIsKept() {
        retire();
        String last = lastEvent();
        archive.archive(MONTH, ANN);
        assertThat(test.sql("SELECT concat_ws(', ', epoch, xact, place) FROM archive.last_events"))
                .isEqualTo(last);
    }
}
