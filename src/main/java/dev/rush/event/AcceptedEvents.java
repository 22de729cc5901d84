package dev.rush.event;

import dev.rush.http.Times;
import dev.rush.ledger.writer.StreamEntry;
import dev.rush.rain.GrabView;
import dev.rush.redis.Partition;
import dev.rush.sale.OrderView;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Converts stream entries of accepted orders and grabs to events, the same on every read. */
final class AcceptedEvents {

    private static final String ACCEPTED = "accepted";

    private AcceptedEvents() {
    }

    /**
     * The event of an order or grab, with the data that its GET shows, or of a dead letter.
     *
     * @param place index within its stream entry
     */
    static CloudEvent of(Partition partition, StreamEntry entry, int place) {
        if (entry instanceof StreamEntry.Purchase order) {
            return CloudEvent.ofOrder(order.sale(), order.name(), ACCEPTED,
                    Times.formatted(order.placedAt()), OrderView.of(order.name(),
                            order.sale(), order.user(), ACCEPTED, order.lines(), order.lefts(),
                            order.placedAt(), order.payBy()));
        }
        if (entry instanceof StreamEntry.Grab grab) {
            return CloudEvent.ofGrab(grab.rain(), grab.name(), ACCEPTED,
                    Times.formatted(grab.at()), new GrabView(grab.name(), grab.rain(),
                            grab.user(), (int) grab.nth(), grab.amount(), (int) grab.number(),
                            ACCEPTED, Times.formatted(grab.at())));
        }
        return deadLetter(partition, (StreamEntry.Malformed) entry, place);
    }

    private static CloudEvent deadLetter(
            Partition partition, StreamEntry.Malformed entry, int place) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("reason", entry.reason());
        data.put("fields", entry.fields());
        return CloudEvent.ofDeadLetter(
                partition.tag(), entry.id() + "." + place, createdAt(entry.id()), data);
    }

    /** The creation time of a stream entry, from its id. */
    private static Instant createdAt(String id) {
        return Instant.ofEpochMilli(Long.parseLong(id.substring(0, id.indexOf('-'))));
    }
}
