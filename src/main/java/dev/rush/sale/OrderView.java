package dev.rush.sale;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rush.http.Times;
import dev.rush.order.BuyerRecord;
import dev.rush.ledger.Order;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.ArrayList;
import java.util.List;

/** An order as clients see it. */
@RegisterForReflection
@JsonInclude(JsonInclude.Include.NON_NULL)
public record OrderView(String order, String sale, String user, String status, List<Item> items,
        String placedAt, String payBy) {

    /** Units of one item; {@code left} is what the purchase left of it. */
    @RegisterForReflection
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Item(String sku, long quantity, Long left) {
    }

    /**
     * An order from its parts as scripts and stream entries spell them.
     *
     * @param lines {@code sku:quantity,…}
     * @param lefts units left per line, in the same order
     * @param payBy Redis's milliseconds, 0 for none
     */
    public static OrderView of(String order, String sale, String user, String status, String lines,
            String lefts, long placedAt, long payBy) {
        String[] line = lines.split(",");
        String[] left = lefts.split(",");
        List<Item> items = new ArrayList<>(line.length);
        for (int i = 0; i < line.length; i++) {
            int colon = line[i].lastIndexOf(':');
            items.add(new Item(line[i].substring(0, colon),
                    Long.parseLong(line[i].substring(colon + 1)),
                    i < left.length && !left[i].isEmpty() ? Long.valueOf(left[i]) : null));
        }
        return new OrderView(order, sale, user, status, items, Times.text(placedAt),
                Times.text(payBy));
    }

    /** The same order in another status. */
    OrderView as(String other) {
        return new OrderView(order, sale, user, other, items, placedAt, payBy);
    }

    /** An order as the ledger has it. */
    static OrderView of(Order row) {
        return of(row.id().toString(), row.sale(), row.user(), row.status().text(), row.lines(),
                row.lefts(), row.placedAt(), row.payBy());
    }

    /** An order that the ledger may not have yet, as Redis has it. */
    static OrderView of(String sale, String user, BuyerRecord.Line line) {
        return of(line.order(), sale, user, "accepted", line.lines(), line.lefts(),
                line.placedAt(), line.payBy());
    }
}
