package dev.rush.sale;

import dev.rush.http.Texts;
import dev.rush.http.Times;
import dev.rush.http.Violations;
import dev.rush.ledger.OrderStatus;
import jakarta.ws.rs.core.MultivaluedMap;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The filters of a list of orders.
 *
 * @param user    only this user's; null for all users
 * @param key     only the one under this key; null for all
 * @param status  only those with this current status; null for all
 * @param sinceMs only those placed at this time or later; 0 for all
 * @param limit   maximum number per page
 * @param after   only those after this order, the cursor; null for all
 * @param isList  whether it requires a role, because a filter other than user and key is given
 */
record OrderQuery(@Nullable String user, @Nullable String key, @Nullable String status,
        long sinceMs, int limit, @Nullable UUID after, boolean isList) {

    static final int LIMIT_MAX = 1000;
    private static final int LIMIT = 100;
    private static final String ACCEPTED = "accepted";
    private static final List<String> STATUSES = List.of(
            ACCEPTED, "reserved", "confirmed", "expired", "returned", "rejected");
    private static final Set<String> LIST_PARAMETERS = Set.of("status", "since", "limit", "after");
    private static final Set<String> OTHER_PARAMETERS = Set.of("user", "key");
    private static final Pattern CURSOR =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    /**
     * The query of a request.
     *
     * @throws dev.rush.http.ProblemException {@code invalid-request}
     */
    static OrderQuery of(MultivaluedMap<String, String> given, boolean csv) {
        Violations violations = new Violations();
        given.forEach((name, values) -> {
            violations.require(LIST_PARAMETERS.contains(name)
                    || OTHER_PARAMETERS.contains(name), name, "is not a parameter of this call");
            violations.require(values.size() == 1, name, "must be given once");
        });
        String user = given.getFirst("user");
        violations.require(user == null || Texts.isUser(user), "user",
                "must be 1 to 128 visible ASCII characters, not . or ..");
        String key = given.getFirst("key");
        violations.require(key == null || Texts.isVisible(key), "key",
                "must be 1 to 128 visible ASCII characters");
        boolean isList = csv || given.keySet().stream().anyMatch(LIST_PARAMETERS::contains);
        violations.require(key == null || !isList, "key", "is for a single order, not for a list");
        String status = given.getFirst("status");
        violations.require(status == null || STATUSES.contains(status), "status",
                "must be accepted, reserved, confirmed, expired, returned or rejected");
        String since = given.getFirst("since");
        long sinceMs = since == null ? 0 : Times.instant("since", since, violations);
        String limit = given.getFirst("limit");
        int max = limit == null ? LIMIT
                : Violations.integer("limit", limit, 1, LIMIT_MAX, violations);
        String after = given.getFirst("after");
        violations.require(after == null || CURSOR.matcher(after).matches(), "after",
                "must be the next cursor of a page");
        violations.check();
        return new OrderQuery(user, key, status, sinceMs, max,
                after == null ? null : UUID.fromString(after), isList);
    }

    /** Whether it asks for orders that the ledger does not have yet. */
    boolean isForAccepted() {
        return ACCEPTED.equals(status);
    }

    /** The status in the ledger; null for any. */
    @Nullable OrderStatus stored() {
        return Arrays.stream(OrderStatus.values()).filter(known -> known.text().equals(status))
                .findFirst().orElse(null);
    }

    /** Whether an order matches, regardless of its user. */
    boolean matches(OrderView order, long placedAtMs) {
        return (status == null || status.equals(order.status())) && placedAtMs >= sinceMs
                && (after == null || order.order().compareTo(after.toString()) < 0);
    }

    /** The same query from a cursor, or from its own if that is null, with another page size. */
    OrderQuery withCursor(String cursor, int max) {
        return new OrderQuery(user, key, status, sinceMs, max,
                cursor == null ? after : UUID.fromString(cursor), isList);
    }
}
