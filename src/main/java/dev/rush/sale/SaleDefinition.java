package dev.rush.sale;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rush.http.Texts;
import dev.rush.http.Times;
import dev.rush.http.Violations;
import dev.rush.offer.Durabilities;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The complete, validated definition of a sale. Defaults are filled in, so equivalent requests have
 * equal definitions; only naming the service's durability and omitting it differ. Times are
 * milliseconds since 1970, 0 for none; windows are milliseconds, 0 for none. An omitted durability
 * is null and means the service's.
 */
@RegisterForReflection
@JsonInclude(JsonInclude.Include.ALWAYS)
public record SaleDefinition(String title, long opensAt, long closesAt, List<Item> items,
        long maxQuantity, long paymentWindow, Guard duplicateGuard, long duplicateGuardWindow,
        boolean returnRestoresLimit, long ordersPerUser, long unpaidHolds,
        @Nullable String durability, int shards) {

    static final long TOTAL_MAX = 1_000_000_000;
    private static final int ITEMS_MAX = 100;
    private static final int TITLE_MAX = 200;
    private static final long QUANTITY_MAX = 1_000_000;
    private static final long QUANTITY_DEFAULT = 100;
    private static final long ORDERS_MAX = 1000;
    private static final long ORDERS_DEFAULT = 20;
    private static final long HOLDS_DEFAULT = 3;
    private static final Duration WINDOW_MAX = Duration.ofDays(30);
    private static final Duration GUARD_WINDOW_MAX = Duration.ofHours(1);

    /** An item with its initial total, which may be changed later. Limit 0 means none. */
    @RegisterForReflection
    public record Item(String sku, String title, long total, long limitPerUser) {
    }

    /** The criterion for a duplicate submission. */
    public enum Guard {
        /** Nothing is a duplicate. */
        NONE("none"),
        /** The same lines of the same user. */
        CART("cart"),
        /** Any purchase of the same user. */
        USER("user");

        private final String text;

        Guard(String text) {
            this.text = text;
        }

        /** The guard as spelled in requests and scripts. */
        public String text() {
            return text;
        }

        private static Guard of(@Nullable String text, Violations violations) {
            for (Guard guard : values()) {
                if (guard.text.equals(text)) {
                    return guard;
                }
            }
            violations.require(text == null, "duplicateGuard", "must be none, cart or user");
            return NONE;
        }
    }

    /**
     * The definition in a request.
     *
     * @param durabilities the levels that the service allows
     * @param shardsMax    the maximum number of shards
     * @throws dev.rush.http.ProblemException {@code invalid-request} with all violations
     */
    static SaleDefinition of(
            String sale, SaleRequest request, Durabilities durabilities, int shardsMax) {
        Violations violations = new Violations();
        String title = title("title", request.title(), sale, violations);
        long opensAt = Times.instant("opensAt", request.opensAt(), violations);
        long closesAt = Times.instant("closesAt", request.closesAt(), violations);
        violations.require(closesAt == 0 || closesAt > opensAt, "closesAt",
                "must be after opensAt");
        List<Item> items = items(request.items(), violations);
        long maxQuantity = orElse(request.maxQuantity(), QUANTITY_DEFAULT);
        violations.require(maxQuantity >= 1 && maxQuantity <= QUANTITY_MAX, "maxQuantity",
                "must be 1 to " + QUANTITY_MAX);
        long paymentWindow =
                Times.duration("paymentWindow", request.paymentWindow(), WINDOW_MAX, violations);
        Guard guard = Guard.of(request.duplicateGuard(), violations);
        long guardWindow = Times.duration("duplicateGuardWindow", request.duplicateGuardWindow(),
                GUARD_WINDOW_MAX, violations);
        long orders = orElse(request.ordersPerUser(), ORDERS_DEFAULT);
        violations.require(orders >= 1 && orders <= ORDERS_MAX, "ordersPerUser",
                "must be 1 to " + ORDERS_MAX);
        long holds = orElse(request.unpaidHolds(), HOLDS_DEFAULT);
        violations.require(holds >= 0 && holds <= ORDERS_MAX, "unpaidHolds",
                "must be 0 (none) to " + ORDERS_MAX);
        String durability = durabilities.requested(request.durability(), violations);
        int shards = request.shards() == null ? 1 : request.shards();
        violations.require(shards >= 1 && shards <= shardsMax, "shards",
                "must be 1 to " + shardsMax);
        violations.check();
        return new SaleDefinition(title, opensAt, closesAt, items, maxQuantity, paymentWindow,
                guard, guardWindow == 0 ? 2000 : guardWindow,
                request.returnRestoresLimit() == null || request.returnRestoresLimit(), orders,
                holds, durability, shards);
    }

    /** The same sale with a new title and new times. */
    SaleDefinition rescheduled(String otherTitle, long otherOpensAt, long otherClosesAt) {
        return new SaleDefinition(otherTitle, otherOpensAt, otherClosesAt, items, maxQuantity,
                paymentWindow, duplicateGuard, duplicateGuardWindow, returnRestoresLimit,
                ordersPerUser, unpaidHolds, durability, shards);
    }

    private static List<Item> items(List<SaleRequest.Item> requested, Violations violations) {
        List<Item> items = new ArrayList<>();
        if (!violations.require(requested != null && !requested.isEmpty()
                && requested.size() <= ITEMS_MAX, "items", "must be 1 to " + ITEMS_MAX)) {
            return items;
        }
        Set<String> skus = new HashSet<>();
        for (int i = 0; i < requested.size(); i++) {
            String field = "items[" + i + "]";
            SaleRequest.Item item = requested.get(i);
            if (!violations.require(item != null, field, "must be an object")) {
                continue;
            }
            violations.require(Texts.isId(item.sku()), field + ".sku",
                    "must be 1 to 64 of A-Z a-z 0-9 . _ -, not . or ..");
            violations.require(skus.add(item.sku()), field + ".sku", "must be unique");
            violations.require(
                    item.total() != null && item.total() >= 0 && item.total() <= TOTAL_MAX,
                    field + ".total", "must be 0 to " + TOTAL_MAX);
            long limit = orElse(item.limitPerUser(), 1);
            violations.require(limit >= 0 && limit <= TOTAL_MAX, field + ".limitPerUser",
                    "must be 0 (none) to " + TOTAL_MAX);
            items.add(new Item(item.sku(),
                    title(field + ".title", item.title(), item.sku(), violations),
                    orElse(item.total(), 0), limit));
        }
        return items;
    }

    static String title(
            String field, @Nullable String title, String fallback, Violations violations) {
        violations.require(title == null || title.length() <= TITLE_MAX, field,
                "must have at most " + TITLE_MAX + " characters");
        violations.require(title == null || Texts.isPrintable(title), field,
                "must have no control characters and no unpaired surrogates");
        return title == null ? fallback : title;
    }

    private static long orElse(@Nullable Long value, long fallback) {
        return value == null ? fallback : value;
    }
}
