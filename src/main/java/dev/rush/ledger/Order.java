package dev.rush.ledger;

import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An order in the ledger. Times are Redis's milliseconds, 0 for none; lines and lefts are spelled
 * as in Redis.
 *
 * @param month     yyyymm, the partition of the tables that contains all of its rows
 * @param key       the client's key; null if it sent none
 * @param seq       its number in the partition; 0 if unknown
 * @param block     with which orders it was stored
 * @param step      the number of the step that gave it its status; 0 if there is none
 * @param reference of its payment; null if none was stated
 */
public record Order(UUID id, int month, String sale, String user, @Nullable String key,
        String digest, String lines, String lefts, long placedAt, long payBy, int partition,
        long seq, long block, OrderStatus status, int step, @Nullable String reference) {

    /** Units by sku. */
    public Map<String, Long> quantities() {
        return Lines.quantities(lines);
    }
}
