package dev.rush.order;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Order;
import dev.rush.ledger.sql.Sql;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What happened to an order, from its purchase on. */
public final class OrderHistory {

    private static final Actor WRITER = Actor.service("writer");
    private static final Sql STORED = Sql.named("batch-of-order",
            "SELECT at FROM batches WHERE month = ? AND batch = ?");
    private static final Sql STEPS = Sql.named("steps-of-order", """
            SELECT at, kind, actor, cause, reference FROM steps
            WHERE month = ? AND order_id = ? ORDER BY step""");

    private OrderHistory() {
    }

    /**
     * A step as clients see it.
     *
     * @param actor who did it; whoever may not know the names of staff sees their role only
     */
    @RegisterForReflection
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Entry(String at, String kind, String actor, String cause,
            String paymentReference) {

        /** As the order's buyer may see it. */
        public Entry forBuyer() {
            Actor who = new Actor(actor);
            return who.isBuyer() ? this : new Entry(at, kind, who.role(), cause, paymentReference);
        }
    }

    /** What was accepted, by whom and when; all that is known while only Redis has an order. */
    public static Entry accepted(String user, long placedAtMs) {
        return new Entry(Instant.ofEpochMilli(placedAtMs).toString(), "accepted",
                "buyer:" + user, null, null);
    }

    /** All that happened to an order that the ledger has, the first first. */
    static List<Entry> of(Connection connection, Order order) throws SQLException {
        List<Entry> entries = new ArrayList<>();
        entries.add(accepted(order.user(), order.placedAt()));
        List<Entry> steps = STEPS.list(connection, row -> new Entry(
                row.getTimestamp(1).toInstant().toString(), row.getString(2), row.getString(3),
                row.getString(4), row.getString(5)), order.month(), order.id());
        if (steps.isEmpty() || !steps.get(0).kind.equals("rejected")) {
            String at = STORED.first(connection,
                    row -> row.getTimestamp(1).toInstant().toString(), order.month(),
                    order.batch());
            entries.add(new Entry(at, order.payBy() > 0 ? "reserved" : "confirmed",
                    WRITER.text(), null, null));
        }
        entries.addAll(steps);
        return List.copyOf(entries);
    }
}
