package dev.rush.order;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rush.http.Caller;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Order;
import dev.rush.ledger.sql.Sql;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The history of an order, from its purchase on. */
public final class OrderHistory {

    private static final String BUYER = "buyer:";
    private static final Actor WRITER = Actor.service("writer");
    private static final Sql STORED = Sql.named("block-of-order",
            "SELECT at FROM blocks WHERE month = ? AND block = ?");
    private static final Sql STEPS = Sql.named("steps-of-order", """
            SELECT at, kind, actor, cause, reference FROM steps
            WHERE month = ? AND order_id = ? ORDER BY step""");

    private OrderHistory() {
    }

    /** A step as clients see it. */
    @RegisterForReflection
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @Schema(name = "OrderStep", requiredProperties = {"at", "kind", "actor"})
    public record Entry(
            @Schema(format = "date-time")
            String at,
            @Schema(description = "credited: the units of an order that expired or was returned "
                    + "are on sale again; settled: the units of a rejected order are free in "
                    + "Redis, or replace a deduction that was lost",
                    enumeration = {"accepted", "reserved", "confirmed", "rejected", "expired",
                        "returned", "credited", "settled"})
            String kind,
            @Schema(description = "Who did it: a role and a name, or service and a component. "
                    + "Buyers and payers see their own name and that of the order's user; of "
                    + "anyone else, only the role", examples = "payer:pia")
            String actor,
            @Schema(description = "The cause, as stated by the actor")
            @Nullable String cause,
            @Schema(examples = "pay-4711")
            @Nullable String paymentReference) {

        /**
         * The entry as shown to a caller: auditors see all names, others only their own and that
         * of the order's user.
         */
        Entry shownTo(Caller caller, String user) {
            boolean isKnown = caller.audits() || actor.equals(BUYER + user)
                    || actor.equals(caller.actor());
            return isKnown ? this
                    : new Entry(at, kind, new Actor(actor).role(), cause, paymentReference);
        }
    }

    /** A history as shown to a caller. */
    public static List<Entry> shownTo(Caller caller, String user, List<Entry> history) {
        return history.stream().map(entry -> entry.shownTo(caller, user)).toList();
    }

    /** An order and its history, read at one moment. */
    public record OrderWithHistory(Order order, List<Entry> history) {
    }

    /** The acceptance, with actor and time; the whole history while only Redis has the order. */
    public static Entry accepted(String user, long placedAtMs) {
        return new Entry(Instant.ofEpochMilli(placedAtMs).toString(), "accepted",
                BUYER + user, null, null);
    }

    /** The history of an order in the ledger, oldest first. */
    static List<Entry> of(Connection connection, Order order) throws SQLException {
        List<Entry> entries = new ArrayList<>();
        entries.add(accepted(order.user(), order.placedAt()));
        List<Entry> steps = STEPS.list(connection, row -> new Entry(
                row.getTimestamp(1).toInstant().toString(), row.getString(2), row.getString(3),
                row.getString(4), row.getString(5)), order.month(), order.id());
        if (steps.isEmpty() || !steps.get(0).kind.equals("rejected")) {
            String at = STORED.one(connection,
                    row -> row.getTimestamp(1).toInstant().toString(), order.month(),
                    order.block());
            entries.add(new Entry(at, order.payBy() > 0 ? "reserved" : "confirmed",
                    WRITER.text(), null, null));
        }
        entries.addAll(steps);
        return List.copyOf(entries);
    }
}
