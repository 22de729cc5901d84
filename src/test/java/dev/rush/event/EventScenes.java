package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.http.Caller;
import dev.rush.ledger.Actor;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.OwedCredit;
import dev.rush.ledger.Payment;
import dev.rush.ledger.Position;
import dev.rush.ledger.Steps;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Scene;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The promises of the SQL of events, each as a scene. */
public final class EventScenes extends EventWalk {
    private static final Actor BUYER = Actor.of(Caller.actingFor("u", false));

    private EventScenes(TestJournal test) {
        super(test);
    }

    /** All scenes by what they show. */
    public static Map<String, Scene> of(TestJournal test) {
        EventScenes scenes = new EventScenes(test);
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("E1: an order's life: each event shows the order as it was then", scenes::life);
        all.put("E1: pages of any size have every event once, in the order of its block",
                scenes::pages);
        all.put("E1: more blocks than one query reads", scenes::many);
        all.put("E1: a transaction of more blocks than one query reads",
                scenes::manyOfOneTransaction);
        all.put("E1: a transaction of several blocks is read block by block", scenes::divided);
        all.put("E1: orders restored without a number have events too", scenes::refilled);
        all.put("E1: an event that is committed later is not skipped", scenes::late);
        all.put("E1: a cursor whose row is gone is unknown", scenes::expired);
        all.put("E1: a cursor is exact after an earlier block of its transaction was archived",
                scenes::archived);
        all.putAll(new OfferEventScenes(test).all());
        all.putAll(new WebhookScenes(test).all());
        all.putAll(new SinkScenes(test).all());
        all.putAll(new ArchivedEventScenes(test).all());
        return all;
    }

    private void confirm(String sale, UUID id) {
        test.transact((connection, ledgerState) -> {
            Steps.confirm(connection, ledgerState, OrderRows.find(connection, MONTH, sale, id),
                    BUYER, new Payment("pay-1", 990L, "EUR"));
            return null;
        });
    }

    private OwedCredit giveBack(String sale, UUID id) {
        return test.transact((connection, ledgerState) -> Steps.giveBack(connection, ledgerState,
                OrderRows.find(connection, MONTH, sale, id), BUYER, "too small"));
    }

    private void life() {
        Position before = fresh();
        String sale = test.sale("a:99:0", "b:99:0");
        UUID paid = test.order(sale, "u", null, "a:1,b:2", 5);
        confirm(sale, paid);
        OwedCredit owed = giveBack(sale, paid);
        test.transact((connection, ledgerState) -> {
            Steps.credited(connection, ledgerState, List.of(owed), Map.of(paid, "credited"));
            return null;
        });
        UUID plain = test.order(sale, "u", "k", "a:1", 0);
        giveBack(sale, plain);
        UUID late = test.order(sale, "v", null, "a:1", 7);
        test.transact((connection, ledgerState) -> Steps.expire(connection, ledgerState, 0, 9, 10));

        List<CloudEvent> events = walk(before, 100);
        assertThat(ids(events)).containsExactly(paid + ".reserved", paid + ".confirmed",
                paid + ".returned", plain + ".confirmed", plain + ".returned", late + ".reserved",
                late + ".expired");
        for (CloudEvent event : events) {
            String kind = event.id().substring(event.id().indexOf('.') + 1);
            JsonNode data = json(event.data());
            assertThat(event.source()).isEqualTo("/v1/sales/" + sale);
            assertThat(event.type()).isEqualTo("dev.rush.order." + kind);
            assertThat(event.subject()).isEqualTo(data.path("order").asText());
            assertThat(event.time()).endsWith("Z");
            assertThat(data.path("status").asText()).isEqualTo(kind);
        }
        assertThat(events).extracting(event ->
                json(event.data()).path("paymentReference").asText("")).containsExactly("",
                "pay-1", "pay-1", "", "", "", "");
        JsonNode event = json(events.get(0));
        assertThat(event.path("specversion").asText()).isEqualTo("1.0");
        assertThat(event.path("datacontenttype").asText()).isEqualTo("application/json");
        assertThat(event.path("data").path("items")).hasSize(2);
        assertThat(event.path("data").path("user").asText()).isEqualTo("u");
        test.sql("DELETE FROM reservations");
        test.sql("DELETE FROM credits");
    }

    /** Stores orders with these sequence numbers in one block. */
    private List<String> block(String sale, int partition, int... seqs) {
        List<String> ids = new ArrayList<>();
        long last = 0;
        long first = Long.MAX_VALUE;
        StringBuilder sql = new StringBuilder();
        for (int seq : seqs) {
            UUID id = UUID.randomUUID();
            ids.add(id + ".confirmed");
            last = Math.max(last, seq);
            first = Math.min(first, seq);
            sql.append("INSERT INTO orders SELECT '%s', %d, currval('block_ids'), %d, 1, 0, %d, "
                    .formatted(id, MONTH, seq, partition)).append(("'%s', 'u', NULL, '=', 'a:1',"
                    + " '1', NULL;").formatted(sale));
        }
        long from = Math.min(first, last);
        long to = last;
        String rows = sql.toString();
        test.transact((connection, ledgerState) -> {
            run(connection, ("INSERT INTO blocks (month, block, epoch, partition, token,"
                    + " first_seq, last_seq, places_before, orders, subjects)"
                    + " VALUES (%d, nextval('block_ids'),"
                    + " %d, %d, 1, %d, %d, 0, %d, '{%s}');").formatted(MONTH, ledgerState.epoch(),
                    partition, from, to, seqs.length, sale) + rows);
            return null;
        });
        return ids;
    }

    private void pages() {
        Position before = fresh();
        String sale = test.sale("a:99:0");
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            wanted.addAll(block(sale, 1, 10 * i + 1, 10 * i + 2, 10 * i + 3, 10 * i + 5));
            UUID order = test.order(sale, "u", null, "a:1", 0);
            wanted.add(order + ".confirmed");
            test.order(sale, "u", null, "a:1", 3);
            wanted.add(test.sql("SELECT id || '.reserved' FROM orders WHERE pay_by_ms = 3"));
            test.transact((connection, ledgerState) ->
                    Steps.expire(connection, ledgerState, 0, 9, 10));
            wanted.add(wanted.get(wanted.size() - 1).replace("reserved", "expired"));
            test.sql("UPDATE orders SET pay_by_ms = 4 WHERE pay_by_ms = 3");
        }
        for (int i = 0; i < 3; i++) {
            wanted.add(test.order(sale, "u", null, "a:1", 3) + ".reserved");
        }
        test.transact((connection, ledgerState) -> Steps.expire(connection, ledgerState, 0, 9, 10));
        wanted.addAll(List.of(test.sql("SELECT string_agg(order_id || '.expired', ' '"
                + " ORDER BY xact DESC, place) FROM steps WHERE (SELECT o.pay_by_ms FROM orders o"
                + " WHERE o.id = order_id) = 3").split(" ")));
        // Sequence numbers that Redis gave out again, in another block.
        wanted.addAll(block(sale, 1, 2, 3, 4));
        wanted.addAll(block(sale, 2, 2, 3));
        for (int limit : new int[] {1, 2, 3, 7, 500}) {
            assertThat(ids(walk(before, limit))).as("pages of %d", limit).isEqualTo(wanted);
        }
        test.sql("DELETE FROM credits");
    }

    private void many() {
        Position before = fresh();
        String sale = test.sale("a:999:0");
        List<String> wanted = new ArrayList<>();
        for (int i = 1; i <= 205; i++) {
            wanted.addAll(block(sale, 7, i));
        }
        assertThat(ids(walk(before, 500))).isEqualTo(wanted);
    }

    private void divided() {
        Position before = fresh();
        String sale = test.sale("a:99:0");
        List<String> wanted = new ArrayList<>(block(sale, 8, 1, 2, 3));
        wanted.addAll(block(sale, 8, 4, 5));
        wanted.addAll(block(sale, 8, 6, 7, 8));
        // A refused order counts in its block, but has no event there.
        test.sql("UPDATE blocks SET orders = 4 WHERE first_seq = 1 AND subjects = '{"
                + sale + "}'");
        asOneTransaction(" WHERE subjects = '{" + sale + "}'");
        wanted.addAll(block(sale, 8, 9));
        for (int limit : new int[] {1, 2, 3, 4, 5, 500}) {
            assertThat(ids(walk(before, limit))).as("pages of %d", limit).isEqualTo(wanted);
        }
        Position first = read(before, 3).next();
        test.sql("DELETE FROM orders WHERE seq < 4 AND sale = '" + sale + "'");
        assertThat(ids(walk(first, 2))).as("a block that was read before is not read again")
                .isEqualTo(wanted.subList(3, wanted.size()));
    }

    /** Makes blocks look as if one transaction had written them. */
    private void asOneTransaction(String where) {
        test.sql("UPDATE blocks b SET xact = t.xact, places_before = t.place FROM (SELECT month,"
                + " block, min(xact) OVER () AS xact, sum(orders) OVER (ORDER BY month, block)"
                + " - orders AS place FROM blocks" + where + ") t"
                + " WHERE b.month = t.month AND b.block = t.block");
    }

    private void archived() {
        Position before = fresh();
        String sale = test.sale("a:99:0");
        List<String> wanted = new ArrayList<>(block(sale, 10, 1, 2, 3));
        wanted.addAll(block(sale, 10, 4, 5));
        wanted.addAll(block(sale, 10, 6, 7, 8));
        asOneTransaction(" WHERE subjects = '{" + sale + "}'");
        Position inFirst = read(before, 2).next();
        Position afterFirst = read(before, 3).next();
        Position inSecond = read(before, 4).next();
        test.sql("DELETE FROM blocks WHERE partition = 10 AND first_seq = 1");
        test.sql("DELETE FROM orders WHERE partition = 10 AND seq < 4");
        assertThat(isKnown(inFirst)).isFalse();
        assertThat(isKnown(afterFirst)).isTrue();
        assertThat(ids(walk(afterFirst, 2))).isEqualTo(wanted.subList(3, wanted.size()));
        assertThat(ids(walk(inSecond, 2))).isEqualTo(wanted.subList(4, wanted.size()));
    }

    private void manyOfOneTransaction() {
        Position before = fresh();
        String sale = test.sale("a:999:0");
        List<String> wanted = new ArrayList<>();
        for (int i = 1; i <= 410; i++) {
            wanted.addAll(block(sale, 9, i));
        }
        for (String range : List.of("1 AND 205", "206 AND 409")) {
            asOneTransaction(" WHERE partition = 9 AND first_seq BETWEEN " + range);
        }
        for (int limit : new int[] {100, 500}) {
            assertThat(ids(walk(before, limit))).as("pages of %d", limit).isEqualTo(wanted);
        }
    }

    private void refilled() {
        Position before = fresh();
        String sale = test.sale("a:99:0");
        List<String> all = new ArrayList<>(block(sale, 3, 0, 0, 0));
        all.addAll(block(sale, 3, 0, 4, 8));
        all.addAll(block(sale, 3, 8, 9));
        block(sale, 4, 0);
        assertThat(ids(walk(before, 500)).subList(0, all.size()))
                .containsExactlyInAnyOrderElementsOf(all);
    }

    private void late() throws Exception {
        Position before = fresh();
        String sale = test.sale("a:99:0");
        try (Connection early = test.connect()) {
            run(early, "SELECT pg_current_xact_id()");
            List<String> stored = block(sale, 5, 1);
            assertThat(read(before, 9).events()).isEmpty();
            assertThat(read(before, 9).next()).isEqualTo(before);
            early.commit();
            assertThat(ids(read(before, 9).events())).isEqualTo(stored);
        }
    }

    private void expired() {
        Position before = fresh();
        String sale = test.sale("a:99:0");
        block(sale, 6, 1, 2);
        Position stored = read(before, 1).next();
        UUID order = test.order(sale, "u", null, "a:1", 5);
        confirm(sale, order);
        Position confirmed = read(before, 9).next();
        for (Position known : List.of(before, Position.START, stored, confirmed)) {
            assertThat(isKnown(known)).as("%s", known).isTrue();
        }
        Position behind = new Position(before.epoch() + 1, 0, 0);
        assertThat(isKnown(behind)).isFalse();
        assertThat(isKnown(new Position(confirmed.epoch(), confirmed.xact() + 1,
                confirmed.place()))).isFalse();
        assertThat(isKnown(new Position(confirmed.epoch(), confirmed.xact(),
                confirmed.place() + 1))).isFalse();
        test.sql("DELETE FROM blocks WHERE partition = 6");
        assertThat(isKnown(stored)).isFalse();
        test.sql("DELETE FROM steps WHERE order_id = '" + order + "'");
        assertThat(isKnown(confirmed)).isFalse();
    }

    private boolean isKnown(Position at) {
        return test.transact((connection, ledgerState) ->
                EventReader.readIfKnown(connection, at, 1) != null);
    }
}
