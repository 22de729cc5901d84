package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.Position;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Events of grabs, of rejections, and of sales and rains, each as a scene. */
final class OfferEventScenes extends EventWalk {
    private static final Actor OPERATOR = new Actor("operator:ann");

    OfferEventScenes(TestJournal test) {
        super(test);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("E1: grabs, and refused grabs and orders", this::refused);
        all.put("E1: grabs restored without a number have events too", this::restored);
        all.put("E1: only changes of sales and rains are events", this::offers);
        return all;
    }

    private void refused() {
        Position before = fresh();
        String sale = test.sale("a:99:0");
        String rain = test.id("rain");
        UUID order = UUID.randomUUID();
        UUID grab = UUID.randomUUID();
        UUID refused = UUID.randomUUID();
        test.transact((connection, ledgerState) -> {
            run(connection, ("INSERT INTO blocks (month, block, epoch, partition, token,"
                    + " first_seq, last_seq, places_before, orders, subjects)"
                    + " VALUES (%d, nextval('block_ids'),"
                    + " %d, 0, 1, 5, 7, 0, 3, '{%s}');").formatted(MONTH, ledgerState.epoch(), sale)
                    + ("INSERT INTO rejected SELECT '%s', %d, currval('block_ids'), 5, 1, 0, 0,"
                    + " '%s', 'u', NULL, '=', 'a:1', '1', NULL, 'limit';")
                            .formatted(order, MONTH, sale)
                    + ("INSERT INTO steps (month, order_id, step, kind, epoch, partition, sale,"
                    + " actor) VALUES (%d, '%s', 0, 'rejected', %d, 0, '%s', 'service:guard');")
                            .formatted(MONTH, order, ledgerState.epoch(), sale)
                    + grab("grabs", grab, 6, rain, "")
                    + grab("rejected_grabs", refused, 7, rain, ", 'limit'"));
            return null;
        });
        List<CloudEvent> events = walk(before, 2);
        assertThat(ids(events)).containsExactly(grab + ".confirmed", refused + ".rejected",
                order + ".rejected");
        JsonNode data = json(events.get(0).data());
        assertThat(events.get(0).source()).isEqualTo("/v1/rains/" + rain);
        assertThat(events.get(0).type()).isEqualTo("dev.rush.grab.confirmed");
        assertThat(data.path("amount").asInt()).isEqualTo(9);
        assertThat(data.path("number").asInt()).isEqualTo(6);
        assertThat(data.path("nth").asInt()).isEqualTo(2);
        assertThat(data.path("status").asText()).isEqualTo("confirmed");
        assertThat(json(events.get(1).data()).path("status").asText()).isEqualTo("rejected");
        assertThat(json(events.get(2).data()).path("status").asText()).isEqualTo("rejected");
        assertThat(json(events.get(2).data()).path("sale").asText()).isEqualTo(sale);
    }

    private void restored() {
        Position before = fresh();
        String rain = test.id("rain");
        UUID grab = UUID.randomUUID();
        UUID refused = UUID.randomUUID();
        test.transact((connection, ledgerState) -> {
            run(connection, ("INSERT INTO blocks (month, block, epoch, partition, token,"
                    + " first_seq, last_seq, places_before, orders, subjects)"
                    + " VALUES (%d, nextval('block_ids'),"
                    + " %d, 0, 1, 0, 0, 0, 2, '{%s}');").formatted(MONTH, ledgerState.epoch(), rain)
                    + grab("grabs", grab, 0, rain, "")
                    + grab("rejected_grabs", refused, 0, rain, ", 'limit'"));
            return null;
        });
        for (int limit : List.of(1, 2, 50)) {
            assertThat(ids(walk(before, limit)))
                    .containsExactlyInAnyOrder(grab + ".confirmed", refused + ".rejected");
        }
    }

    private static String grab(String table, UUID id, int seq, String rain, String reason) {
        return "INSERT INTO %s SELECT '%s', %d, currval('block_ids'), %d, 1, %d, 2, 9, 0, '%s',"
                .formatted(table, id, MONTH, seq, seq, rain) + " 'u', NULL" + reason + ";";
    }

    private void offers() {
        Position before = fresh();
        Map<String, String> events = new LinkedHashMap<>();
        events.put("sale.prepared s1", "dev.rush.sale.prepared s1");
        events.put("sale.loaded s1", null);
        events.put("sale.paused s1", "dev.rush.sale.paused s1");
        events.put("item.total-changed s1/a", "dev.rush.sale.changed s1");
        events.put("blocklist.added u", null);
        events.put("sale.rescheduled s1", "dev.rush.sale.changed s1");
        events.put("rain.closed r1", "dev.rush.rain.closed r1");
        events.put("ledger.behind ledger", null);
        events.put("webhook.closed w", null);
        events.put("grab.rejected r1/g", null);
        events.put("return.parked s1/o", null);
        events.put("sale.sold-out s1", "dev.rush.sale.sold-out s1");
        events.keySet().forEach(change -> test.transact((connection, ledgerState) -> {
            String[] words = change.split(" ");
            AuditRows.insert(connection, ledgerState, UUID.randomUUID(), OPERATOR, words[0],
                    words[1],
                    3, Map.of("total", 5), null);
            return null;
        }));
        List<String> wanted = events.values().stream().filter(Objects::nonNull).toList();
        for (int limit : new int[] {1, 2, 50}) {
            assertThat(walk(before, limit)).extracting(event ->
                    event.type() + " " + event.subject()).isEqualTo(wanted);
        }
        CloudEvent total = walk(before, 50).get(2);
        assertThat(json(total.data())).hasToString(
                "{\"sale\":\"s1\",\"sku\":\"a\",\"before\":3,\"after\":{\"total\":5}}");
        assertThat(total.source()).isEqualTo("/v1/sales/s1");
    }
}
