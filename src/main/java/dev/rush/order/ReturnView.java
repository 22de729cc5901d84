package dev.rush.order;

import static dev.rush.http.Texts.ID_PATTERN;
import static dev.rush.http.Texts.USER_PATTERN;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rush.ledger.Order;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A return as clients and operators see it.
 *
 * @param state parked, alarmed, returned, or void when there was nothing to return
 */
@RegisterForReflection
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@Schema(name = "OrderReturn",
        requiredProperties = {"sale", "user", "state", "tries", "createdAt"})
record ReturnView(
        @Schema(pattern = ID_PATTERN, examples = "apple-day")
        String sale,
        @Schema(pattern = USER_PATTERN, examples = "711")
        String user,
        @Schema(description = "Absent while only the key is known", format = "uuid")
        @Nullable String order,
        @Schema(description = "Only for a return by key")
        @Nullable String idempotencyKey,
        @Schema(description = "parked while its order is not in the ledger, alarmed once that has "
                + "lasted for rush.returns.alarm-after, returned, or void if there was nothing to "
                + "return", enumeration = {"parked", "alarmed", "returned", "void"})
        String state,
        @Schema(description = "Why it waits")
        String reason,
        @Schema(minimum = "0")
        int tries,
        @Schema(format = "date-time")
        String createdAt,
        @Schema(format = "date-time")
        @Nullable String triedAt,
        @Schema(format = "date-time")
        @Nullable String endedAt) {

    /** Returns of a sale, as OpenAPI describes the answer. */
    @Schema(name = "Returns", requiredProperties = "returns")
    record Page(
            @Schema(description = "Newest first")
            List<ReturnView> returns) {
    }

    /** What {@link #of(ResultSet)} reads. */
    static final String COLUMNS = "sale, user_id, order_id, key, state, reason, tries, "
            + "created_at, tried_at, ended_at";
    static final String RETURNED = "returned";

    /** A row of {@link #COLUMNS}. */
    static ReturnView of(ResultSet row) throws SQLException {
        return new ReturnView(row.getString(1), row.getString(2), row.getString(3),
                row.getString(4), row.getString(5), row.getString(6), row.getInt(7),
                text(row.getTimestamp(8)), textOrNull(row.getTimestamp(9)),
                textOrNull(row.getTimestamp(10)));
    }

    /** An order that is returned. */
    static ReturnView of(Order order, Timestamp at) {
        return new ReturnView(order.sale(), order.user(), order.id().toString(), order.key(),
                RETURNED, "", 0, text(at), null, text(at));
    }

    private static String text(Timestamp instant) {
        return instant.toInstant().toString();
    }

    private static @Nullable String textOrNull(@Nullable Timestamp instant) {
        return instant == null ? null : text(instant);
    }
}
