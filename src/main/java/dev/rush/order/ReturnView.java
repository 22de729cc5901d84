package dev.rush.order;

import com.fasterxml.jackson.annotation.JsonInclude;
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
public record ReturnView(String sale, String user, String order, String idempotencyKey,
        String state, String reason, int tries, String createdAt, String triedAt,
        String endedAt) {

    static final String COLUMNS = "sale, user_id, order_id, key, state, reason, tries, "
            + "created_at, tried_at, ended_at";

    /** A row of {@link #COLUMNS}. */
    static ReturnView of(ResultSet row) throws SQLException {
        return new ReturnView(row.getString("sale"), row.getString("user_id"),
                row.getString("order_id"), row.getString("key"), row.getString("state"),
                row.getString("reason"), row.getInt("tries"), text(row.getTimestamp("created_at")),
                text(row.getTimestamp("tried_at")), text(row.getTimestamp("ended_at")));
    }

    private static String text(Timestamp instant) {
        return instant == null ? null : instant.toInstant().toString();
    }

    boolean isReturned() {
        return state.equals("returned");
    }
}
