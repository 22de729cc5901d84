package dev.rush.order;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rush.ledger.Order;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;

/**
 * A return as clients and operators see it.
 *
 * @param state parked, alarmed, returned, or void when there was nothing to return
 */
@RegisterForReflection
@JsonInclude(JsonInclude.Include.NON_EMPTY)
record ReturnView(String sale, String user, String order, String idempotencyKey,
        String state, String reason, int tries, String createdAt, String triedAt,
        String endedAt) {

    /** What {@link #of(ResultSet)} reads. */
    static final String COLUMNS = "sale, user_id, order_id, key, state, reason, tries, "
            + "created_at, tried_at, ended_at";
    static final String RETURNED = "returned";

    /** A row of {@link #COLUMNS}. */
    static ReturnView of(ResultSet row) throws SQLException {
        return new ReturnView(row.getString(1), row.getString(2), row.getString(3),
                row.getString(4), row.getString(5), row.getString(6), row.getInt(7),
                text(row.getTimestamp(8)), text(row.getTimestamp(9)),
                text(row.getTimestamp(10)));
    }

    /** An order that is returned. */
    static ReturnView of(Order order, Timestamp at) {
        return new ReturnView(order.sale(), order.user(), order.id().toString(), order.key(),
                RETURNED, "", 0, text(at), null, text(at));
    }

    private static String text(Timestamp instant) {
        return instant == null ? null : instant.toInstant().toString();
    }

    boolean isReturned() {
        return state.equals(RETURNED);
    }
}
