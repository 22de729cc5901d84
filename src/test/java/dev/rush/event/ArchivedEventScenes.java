package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.Position;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The promises of the SQL of archived events, each as a scene. */
final class ArchivedEventScenes extends EventWalk {
    private static final int FIRST_MONTH = 202603;

    private int month = FIRST_MONTH;

    ArchivedEventScenes(TestJournal test) {
        super(test);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("E1: cursors from before an archive run have expired before its last event",
                this::expired);
        all.put("E1: a resumed archive run keeps the last event that was recorded", this::resumed);
        all.put("E1: no event of a month is read once its archive run has begun", this::unread);
        all.put("E1: the last event of an archived month remains known", this::endIsKnown);
        all.put("E1: of a month's blocks the last one has its last event", () -> last(
                new Position(2, 9, 5), "1 99 0 9", "2 9 3 2", "2 8 0 9", "2 9 0 3"));
        all.put("E1: of a month's steps the last one is its last event", () -> last(
                step(2, 9, 7), "1 99 200", "2 9 7", "2 8 99", "2 9 4"));
        all.put("E1: a step follows the orders of its transaction", () -> last(
                step(2, 9, 7), "2 9 7", "2 9 0 900"));
        all.put("E1: a block of a later transaction follows a step", () -> last(
                new Position(2, 10, 3), "2 10 0 3", "2 9 7"));
        all.put("E1: a step of a later epoch follows all blocks", () -> last(
                step(3, 2, 1), "2 10 0 3", "3 2 1"));
        all.put("E1: a month without events has no last one", this::empty);
        return all;
    }

    private static Position step(int epoch, long xact, long place) {
        return new Position(epoch, xact, EventReader.AFTER_ITEMS + place);
    }

    private void record(int archived) {
        test.transact((connection, ledgerState) -> {
            ArchivedEvents.recordLast(connection, archived);
            return null;
        });
    }

    private List<String> behind(int unread, boolean feedsKafka) {
        return test.transact((connection, ledgerState) ->
                ArchivedEvents.readersBehind(connection, unread, feedsKafka));
    }

    private boolean isKnown(Position at) {
        return test.transact((connection, ledgerState) ->
                EventReader.readIfKnown(connection, at, 1) != null);
    }

    private int lastRun() {
        return test.transact((connection, ledgerState) -> ArchivedEvents.lastRun(connection));
    }

    private boolean isMissed(Position at, int run) {
        return test.transact((connection, ledgerState) ->
                ArchivedEvents.areMissed(connection, at, run));
    }

    /** Stores an order and returns the position of its event. */
    private Position order(String sale, Position after) {
        test.order(sale, "u", null, "a:1", 0);
        return read(after, 1).next();
    }

    private void expired() {
        assertThat(lastRun()).isZero();
        assertThat(isMissed(Position.START, 0)).isFalse();
        month++;
        store("1 5 1", "2 5 1");
        record(month);
        int first = lastRun();
        assertThat(first).isPositive();
        assertThat(isMissed(step(2, 5, 0), first - 1)).isTrue();
        assertThat(isMissed(step(2, 5, 1), first - 1)).isFalse();
        assertThat(isMissed(Position.START, first)).as("the reader began after it").isFalse();
        month++;
        store("1 7 1");
        record(month);
        assertThat(lastRun()).isGreaterThan(first);
        assertThat(isMissed(step(1, 7, 0), first)).isTrue();
        assertThat(isMissed(step(1, 7, 1), first)).isFalse();
        assertThat(isMissed(Position.START, lastRun())).isFalse();
        test.sql("DELETE FROM archive.last_events");
    }

    private void resumed() {
        Position before = fresh();
        String sale = test.sale("a:99:0");
        Position last = order(sale, before);
        record(MONTH);
        test.order(sale, "u", null, "a:1", 0);
        record(MONTH);
        assertThat(isMissed(before, 0)).isTrue();
        assertThat(isMissed(last, 0)).isFalse();
        test.sql("DELETE FROM archive.last_events");
    }

    private void unread() {
        Position before = fresh();
        order(test.sale("a:99:0"), before);
        assertThat(read(before, 9).events()).hasSize(1);
        record(MONTH);
        assertThat(read(before, 9).events()).isEmpty();
        test.sql("DELETE FROM archive.last_events");
        assertThat(read(before, 9).events()).hasSize(1);
    }

    private void endIsKnown() {
        Position before = fresh();
        String sale = test.sale("a:99:0");
        Position first = order(sale, before);
        Position last = order(sale, first);
        record(MONTH);
        test.sql("DELETE FROM blocks WHERE epoch = " + before.epoch());
        assertThat(isKnown(last)).isTrue();
        assertThat(isKnown(new Position(last.epoch(), last.xact(), EventReader.AFTER_ITEMS)))
                .as("after all orders of its transaction").isTrue();
        assertThat(isKnown(first)).isFalse();
        assertThat(isKnown(new Position(last.epoch(), last.xact(), last.place() - 1))).isFalse();
        assertThat(isKnown(new Position(last.epoch(), last.xact() + 1, last.place()))).isFalse();
        assertThat(isKnown(new Position(last.epoch() - 1, last.xact(), last.place()))).isFalse();
        test.sql("DELETE FROM archive.last_events");
    }

    /** Stores steps "epoch xact place" and blocks "epoch xact placesBefore orders" in a month. */
    private void store(String... rows) {
        test.sql("SELECT ensure_month(" + month + ")");
        for (String row : rows) {
            String values = row.replace(" ", "', '");
            test.sql(row.split(" ").length == 3
                    ? "INSERT INTO steps (month, order_id, step, kind, partition, sale, actor,"
                            + " epoch, xact, place) VALUES (" + month + ", gen_random_uuid(), 1,"
                            + " 'confirmed', 0, 's', 'buyer:u', '" + values + "')"
                    : "INSERT INTO blocks (month, block, partition, token, first_seq, last_seq,"
                            + " subjects, epoch, xact, places_before, orders) VALUES (" + month
                            + ", nextval('block_ids'), 0, 1, 1, 1, '{}', '" + values + "')");
        }
    }

    private void last(Position last, String... rows) {
        month++;
        store(rows);
        Position before = new Position(last.epoch(), last.xact(), last.place() - 1);
        test.sql("DELETE FROM webhooks");
        test.sql("DELETE FROM sinks");
        for (Position at : List.of(Position.START, before, last)) {
            String values = at.epoch() + ", " + at.xact() + ", " + at.place();
            test.sql("INSERT INTO webhooks (webhook, url, types, secret, epoch, xact, place)"
                    + " VALUES ('at " + values + "', '', '{}', '', " + values + ")");
        }
        assertThat(behind(month, false)).containsExactlyInAnyOrder("webhook at 1, 0, 0",
                "webhook at " + before.epoch() + ", " + before.xact() + ", " + before.place());
        assertThat(behind(month, true)).hasSize(3).contains("kafka");
        test.sql("DELETE FROM webhooks");
        move(null, before);
        assertThat(behind(month, true)).containsExactly("kafka");
        assertThat(behind(month, false)).as("is fed no more").containsExactly("kafka");
        move(before, last);
        assertThat(behind(month, true)).isEmpty();
        assertThat(behind(month, false)).isEmpty();

        record(month);
        assertThat(isMissed(before, 0)).isTrue();
        assertThat(isMissed(last, 0)).isFalse();
        test.sql("DELETE FROM archive.last_events");
        test.sql("DELETE FROM sinks");
    }

    private void move(Position from, Position to) {
        test.transact((connection, ledgerState) ->
                SinkRows.move(connection, SinkRows.KAFKA, from, to));
    }

    private void empty() {
        month++;
        store();
        assertThat(behind(month, true)).isEmpty();
        record(month);
        assertThat(test.sql("SELECT count(*) FROM archive.last_events")).isEqualTo("0");
    }
}
