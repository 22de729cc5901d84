package dev.rush.order;

import dev.rush.ledger.Order;
import dev.rush.ledger.OrderStatus;
import dev.rush.redis.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One user's orders in a sale as recorded in Redis, oldest first.
 *
 * @param isLoaded    whether Redis has the sale
 * @param waitingFrom the number from which on orders may be queued in the stream; lower ones have
 *                    left it
 */
public record BuyerRecord(boolean isLoaded, long waitingFrom, List<Line> lines) {

    private static final String REFUSED = "t";

    /**
     * An order as a line of the record.
     *
     * @param state a: accepted; c or e: its units were credited; r: rejected by the ledger
     * @param key   the client's key, or empty
     * @param head  the number of the first order of its script call
     */
    public record Line(String state, String order, String key, String digest, String lines,
            String lefts, long placedAt, long payBy, long head) {

        private static Line of(String text) {
            String[] words = text.split(" ");
            return new Line(words[0], words[1], words[2], words[3], words[4], words[5],
                    Long.parseLong(words[6]), Long.parseLong(words[7]), Long.parseLong(words[8]));
        }

        /**
         * The line of an order that the ledger has, so that it is not queued. The units of a
         * rejected one are still taken.
         */
        public static Line of(Order order) {
            String state = switch (order.status()) {
                case EXPIRED -> "e";
                case RETURNED -> "c";
                case RESERVED, CONFIRMED, REJECTED -> "a";
            };
            return new Line(state, order.id().toString(), order.key() == null ? "" : order.key(),
                    order.digest(), order.lines(), order.lefts(), order.placedAt(), order.payBy(),
                    0);
        }

        /** The line of an order that was rejected. */
        public Line rejected() {
            return new Line("r", order, key, digest, lines, lefts, placedAt, payBy, head);
        }

        /** The line of an order whose key another order has. */
        Line withoutKey() {
            return new Line(state, order, "", digest, lines, lefts, placedAt, payBy, head);
        }

        /** The line as stored in the record. */
        public String text() {
            return String.join(" ", state, order, key, digest, lines, lefts,
                    Long.toString(placedAt), Long.toString(payBy), Long.toString(head));
        }

        /** The status as clients see it; {@code accepted} while Redis has no later one. */
        public String status() {
            return switch (state) {
                case "a" -> "accepted";
                case "c" -> OrderStatus.RETURNED.text();
                case "e" -> OrderStatus.EXPIRED.text();
                default -> OrderStatus.REJECTED.text();
            };
        }

        /** Whether it expired, and its units were credited. */
        public boolean isExpired() {
            return state.equals("e");
        }

        /** Whether it expired or was returned, and its units were credited. */
        public boolean isCredited() {
            return isExpired() || state.equals("c");
        }

        /** Whether it is neither credited nor rejected in Redis. */
        public boolean isAccepted() {
            return state.equals("a");
        }
    }

    static BuyerRecord of(Reply reply) {
        String record = reply.size() > 2 ? reply.at(2).text() : null;
        return new BuyerRecord(reply.at(0).number() == 1,
                reply.at(1).isNull() ? Long.MAX_VALUE : reply.at(1).number(),
                record == null ? List.of() : lines(record));
    }

    /** The orders of a record. */
    public static List<Line> lines(String record) {
        return record.lines().filter(line -> !line.startsWith(REFUSED + " "))
                .map(Line::of).toList();
    }

    /** Whether the ledger may not have this order yet. */
    public boolean isWaiting(Line line) {
        return line.isAccepted() && line.head >= waitingFrom;
    }

    /** The order of this id, or null. */
    public @Nullable Line order(String order) {
        return lines.stream().filter(line -> line.order.equals(order)).findFirst().orElse(null);
    }

    /** The order under a key, or null. Without a client's key, the order's id is its key. */
    public @Nullable Line key(String key) {
        return lines.stream().filter(line -> line.key.equals(key)
                || line.key.isEmpty() && line.order.equals(key)).findFirst().orElse(null);
    }
}
