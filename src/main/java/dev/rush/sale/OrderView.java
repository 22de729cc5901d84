package dev.rush.sale;

import static dev.rush.http.Texts.ID_PATTERN;
import static dev.rush.http.Texts.USER_PATTERN;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rush.http.Times;
import dev.rush.ledger.Lines;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderStatus;
import dev.rush.order.BuyerRecord;
import dev.rush.order.OrderHistory;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An order as shown to clients. */
@RegisterForReflection
@JsonInclude(JsonInclude.Include.NON_NULL)
@Schema(name = "Order",
        requiredProperties = {"order", "sale", "user", "status", "items", "placedAt"})
public record OrderView(
        @Schema(format = "uuid")
        String order,
        @Schema(pattern = ID_PATTERN, examples = "apple-day")
        String sale,
        @Schema(pattern = USER_PATTERN, examples = "711")
        String user,
        @Schema(description = "accepted by Redis; then reserved by the ledger while the payment "
                + "window runs, confirmed, expired or returned, or rejected by the ledger's guard",
                enumeration = {"accepted", "reserved", "confirmed", "expired", "returned",
                    "rejected"})
        String status,
        List<Item> items,
        @Schema(format = "date-time")
        String placedAt,
        @Schema(description = "Only with a payment window", format = "date-time")
        @Nullable String payBy,
        @Schema(description = "Reference of the payment that confirmed it, if stated",
                examples = "pay-4711")
        @Nullable String paymentReference,
        @Schema(description = "Its history, oldest first; only with history=true")
        @Nullable List<OrderHistory.Entry> history) {

    /** Units of one item; {@code left} is the number left after the purchase. */
    @RegisterForReflection
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @Schema(name = "OrderItem", requiredProperties = {"sku", "quantity"})
    public record Item(
            @Schema(pattern = ID_PATTERN, examples = "apple")
            String sku,
            @Schema(minimum = "1", examples = "1")
            long quantity,
            @Schema(description = "Units left after the purchase; in a sale of several "
                    + "shards, those left in the buyer's shard", minimum = "0", examples = "99")
            @Nullable Long left) {
    }

    /** Orders, and the cursor of the next page. */
    @RegisterForReflection
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @Schema(name = "Orders", requiredProperties = "orders")
    record Page(
            @Schema(description = "Newest first; a page may be short or empty",
                    maxItems = OrderQuery.LIMIT_MAX)
            List<OrderView> orders,
            @Schema(description = "The cursor of the next page; absent after the last one",
                    examples = "019a0000-0000-7000-8000-000000000000")
            @Nullable String next) {
    }

    /**
     * An order from its parts in the format of scripts and stream entries.
     *
     * @param lines {@code sku:quantity,…}
     * @param lefts units left per line, in the same order
     * @param payBy Redis's milliseconds, 0 for none
     */
    public static OrderView of(String order, String sale, String user, String status, String lines,
            String lefts, long placedAt, long payBy) {
        String[] left = lefts.split(",");
        List<Item> items = new ArrayList<>();
        Lines.quantities(lines).forEach((sku, quantity) -> {
            int i = items.size();
            items.add(new Item(sku, quantity,
                    i < left.length && !left[i].isEmpty() ? Long.valueOf(left[i]) : null));
        });
        return new OrderView(order, sale, user, status, items, Times.formatted(placedAt),
                Times.text(payBy), null, null);
    }

    /** Whether its status is accepted. */
    @JsonIgnore
    boolean isAccepted() {
        return status.equals("accepted");
    }

    boolean hasEnded() {
        return !isAccepted() && OrderStatus.of(status).isFinal();
    }

    /** The same order in another status. */
    public OrderView withStatus(String other) {
        return new OrderView(order, sale, user, other, items, placedAt, payBy, paymentReference,
                history);
    }

    /** The same order with its history. */
    OrderView withHistory(List<OrderHistory.Entry> all) {
        return new OrderView(order, sale, user, status, items, placedAt, payBy, paymentReference,
                all);
    }

    /** The same order with a payment. */
    public OrderView withPayment(@Nullable String reference) {
        return new OrderView(order, sale, user, status, items, placedAt, payBy, reference,
                history);
    }

    /** An order from the ledger. */
    static OrderView of(Order row) {
        return of(row.id().toString(), row.sale(), row.user(), row.status().text(), row.lines(),
                row.lefts(), row.placedAt(), row.payBy()).withPayment(row.reference());
    }

    /** An order from Redis that the ledger does not have yet, or has lost. */
    static OrderView of(String sale, String user, BuyerRecord.Line line) {
        return of(line.order(), sale, user, line.status(), line.lines(), line.lefts(),
                line.placedAt(), line.payBy());
    }
}
