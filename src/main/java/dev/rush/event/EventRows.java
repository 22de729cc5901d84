package dev.rush.event;

import dev.rush.http.Times;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.rain.GrabView;
import dev.rush.sale.OrderView;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows from which events are derived, in the caller's transaction. {@code months} are all
 * months whose events are read.
 */
final class EventRows {

    private static final String CONFIRMED = "confirmed";
    private static final String REJECTED = "rejected";
    /** Without statistics about transaction ids, the planner would sort everything. */
    private static final String BY_INDEX = "SET LOCAL enable_sort = off";
    private static final String NO_BITMAP = "SET LOCAL enable_bitmapscan = off";
    private static final Sql BLOCKS = Sql.named("event-blocks", BY_INDEX, """
            SELECT b.xact::text, b.month, b.block, b.at, b.partition, b.first_seq, b.last_seq,
                b.places_before, b.orders
            FROM blocks b WHERE b.month = ANY (?) AND b.epoch = ? AND b.xact >= ?::xid8
                AND b.xact < ?::xid8
            ORDER BY b.xact FETCH FIRST (?) ROWS WITH TIES""");
    private static final String EACH_BLOCK = " FROM unnest(?::integer[], ?::bigint[],"
            + " ?::integer[], ?::bigint[], ?::bigint[])"
            + " AS b (month, block, partition, first_seq, last_seq) JOIN LATERAL (";
    /** No block has so many rows. Without a limit, the planner might scan a whole month instead. */
    private static final String EACH_END = " LIMIT 1000000) i ON true";
    private static final Sql ORDERS = Sql.named("event-orders", NO_BITMAP,
            "SELECT b.month, b.block, i.*" + EACH_BLOCK
            + ofBlock("SELECT o.seq, o.id, o.sale, o.user_id, o.lines, o.lefts, o.placed_at_ms,"
                    + " o.pay_by_ms FROM orders o") + EACH_END);
    private static final String GRAB = "SELECT o.seq, o.id, o.rain, o.user_id, o.nth, o.number,"
            + " o.amount, o.granted_at_ms";
    private static final Sql GRABS = Sql.named("event-grabs", NO_BITMAP,
            "SELECT b.month, b.block, i.*" + EACH_BLOCK
            + ofBlock(GRAB + ", 'confirmed' FROM grabs o") + " UNION ALL "
            + ofBlock(GRAB + ", 'rejected' FROM rejected_grabs o") + EACH_END);
    private static final Sql STEPS = Sql.named("event-steps", BY_INDEX, """
            SELECT s.xact::text, s.place, s.at, s.kind, s.order_id, s.month
            FROM steps s WHERE s.month = ANY (?) AND s.epoch = ?
                AND (s.xact, s.place) > (?::xid8, ?) AND s.xact < ?::xid8
            ORDER BY s.xact, s.place LIMIT ?""");
    private static final String STEPPED = "%1$s.sale, %1$s.user_id, %1$s.lines, %1$s.lefts,"
            + " %1$s.placed_at_ms, %1$s.pay_by_ms";
    private static final Sql STEPPED_ORDERS = Sql.named("event-stepped-orders",
            "SELECT i, o.*, (SELECT c.reference FROM steps c WHERE c.month = ?"
            + " AND c.order_id = i AND c.step = 1 AND c.kind = 'confirmed')"
            + " FROM unnest(?::uuid[]) AS i JOIN LATERAL (SELECT " + STEPPED.formatted("o")
            + " FROM orders o WHERE o.month = ? AND o.id = i UNION ALL SELECT "
            + STEPPED.formatted("r") + " FROM rejected r WHERE r.month = ? AND r.id = i LIMIT 1)"
            + " o ON true");
    private static final Sql CHANGES = Sql.named("event-changes", BY_INDEX, """
            SELECT xact::text, place, at, id, action, subject, before, after FROM audit
            WHERE epoch = ? AND (xact, place) > (?::xid8, ?) AND xact < ?::xid8
            ORDER BY audit.xact, audit.place LIMIT ?""");

    private EventRows() {
    }

    /**
     * Selects a block's rows: numbered ones by number, restored ones, whose number is 0, by block.
     * A block may have both.
     */
    private static String ofBlock(String rows) {
        String ofPartition = rows + " WHERE o.month = ANY (?) AND o.month = b.month"
                + " AND o.partition = b.partition AND o.block = b.block";
        return ofPartition + " AND o.seq >= greatest(b.first_seq, 1) AND o.seq <= b.last_seq"
                + " UNION ALL " + ofPartition + " AND o.seq = 0 AND b.first_seq = 0";
    }

    /**
     * A range of rows of an epoch: after a place in one transaction, and before another
     * transaction.
     */
    record Range(SqlArray months, int epoch, long xact, long place, String below) {

        Range fromNextTransaction() {
            return new Range(months, epoch, xact + 1, 0, below);
        }
    }

    /**
     * Orders and grabs with neighbouring numbers that one transaction stored or refused; their
     * events have its time.
     *
     * @param placesBefore orders and grabs of earlier blocks of the transaction; the first place is
     *                     one more
     * @param orders       how many orders and grabs, refused ones included. A refused order has no
     *                     event here, because its rejection is a step; a rejected grab has one.
     */
    record Block(long xact, int month, long id, String at, int partition, long first,
            long last, int placesBefore, int orders) {

        /** The place of the block's last order or grab. */
        int lastPlace() {
            return placesBefore + orders;
        }

        Key key() {
            return new Key(month, id);
        }
    }

    /** An order or grab of a block: stored, or a grab that was rejected. */
    record Item(Block block, boolean isGrab, long seq, String id, CloudEvent event) {
    }

    /** Identifies a block. */
    record Key(int month, long id) {
    }

    /** A step of an order; the event is null if that kind of step has none. */
    record Stepped(long xact, long place, @Nullable CloudEvent event) {
    }

    /** A change that is not a step of an order. */
    record Changed(long xact, long place, Instant at, String id, String action, String subject,
            String before, String after) {
    }

    /**
     * All blocks of the first transactions of the range, including those of its first one.
     *
     * @param max blocks to read; the last transaction's blocks are always complete
     */
    static List<Block> blocks(Connection connection, Range range, int max)
            throws SQLException {
        return BLOCKS.list(connection, row -> new Block(Long.parseLong(row.getString(1)),
                row.getInt(2), row.getLong(3), row.getTimestamp(4).toInstant().toString(),
                row.getInt(5), row.getLong(6), row.getLong(7), row.getInt(8), row.getInt(9)),
                range.months, range.epoch, Long.toString(range.xact), range.below, max);
    }

    /** The orders and grabs of blocks, including rejected grabs; an order's rejection is a step. */
    static List<Item> items(Connection connection, SqlArray months, List<Block> blocks)
            throws SQLException {
        List<Item> items = new ArrayList<>();
        grabs(connection, months, orders(connection, months, blocks, items), items);
        return items;
    }

    private static List<Block> orders(Connection connection, SqlArray months,
            List<Block> blocks, List<Item> items) throws SQLException {
        return addItems(connection, ORDERS, blocks, items, (row, block) -> {
            String id = row.getString(4);
            String sale = row.getString(5);
            String kind = row.getLong(10) > 0 ? "reserved" : CONFIRMED;
            return new Item(block, false, row.getLong(3), id, CloudEvent.ofOrder(sale, id, kind,
                    block.at, OrderView.of(id, sale, row.getString(6), kind, row.getString(7),
                            row.getString(8), row.getLong(9), row.getLong(10))));
        }, months, months);
    }

    private static List<Block> grabs(Connection connection, SqlArray months,
            List<Block> blocks, List<Item> items) throws SQLException {
        return addItems(connection, GRABS, blocks, items, (row, block) -> {
            String id = row.getString(4);
            String rain = row.getString(5);
            String kind = row.getString(11);
            return new Item(block, true, row.getLong(3), id, CloudEvent.ofGrab(rain, id, kind,
                    block.at, new GrabView(id, rain, row.getString(6), row.getInt(7),
                            row.getLong(9), row.getInt(8), kind,
                            Times.formatted(row.getLong(10)))));
        }, months, months, months, months);
    }

    /** A block and how many of its orders and grabs are still unread. */
    private static final class Unread {

        private final Block block;
        private int count;

        private Unread(Block block) {
            this.block = block;
            this.count = block.orders;
        }
    }

    @FunctionalInterface
    private interface ItemMapper {

        Item of(ResultSet row, Block block) throws SQLException;
    }

    /**
     * Reads the rows of blocks and adds them to items. Returns the blocks that may have further
     * orders or grabs.
     */
    private static List<Block> addItems(Connection connection, Sql sql, List<Block> blocks,
            List<Item> items, ItemMapper mapper, Object... months) throws SQLException {
        if (blocks.isEmpty()) {
            return blocks;
        }
        Map<Key, Unread> unread = new LinkedHashMap<>();
        blocks.forEach(block -> unread.put(block.key(), new Unread(block)));
        items.stream().map(item -> unread.get(item.block.key())).filter(Objects::nonNull)
                .forEach(block -> block.count--);
        List<Object> parameters = new ArrayList<>(List.of(
                SqlArray.integers(blocks.stream().map(Block::month).toList()),
                SqlArray.longs(blocks, Block::id),
                SqlArray.integers(blocks.stream().map(Block::partition).toList()),
                SqlArray.longs(blocks, Block::first), SqlArray.longs(blocks, Block::last)));
        parameters.addAll(List.of(months));
        // The rows of a block are adjacent, so most need no lookup.
        Unread[] latest = new Unread[1];
        sql.each(connection, row -> {
            Unread current = latest[0];
            int month = row.getInt(1);
            long id = row.getLong(2);
            if (current == null || current.block.id != id
                    || current.block.month != month) {
                current = Objects.requireNonNull(unread.get(new Key(month, id)));
                latest[0] = current;
            }
            items.add(mapper.of(row, current.block));
            current.count--;
        }, parameters.toArray());
        return unread.values().stream().filter(block -> block.count > 0)
                .map(block -> block.block).toList();
    }

    private record Step(long xact, long place, Instant at, String kind, String order,
            int month) {

        private boolean hasEvent() {
            return !kind.equals("credited") && !kind.equals("settled");
        }
    }

    /** Steps after the start of a range, in order. */
    static List<Stepped> steps(Connection connection, Range range, int max)
            throws SQLException {
        List<Step> steps = STEPS.list(connection, row -> new Step(
                Long.parseLong(row.getString(1)), row.getLong(2),
                row.getTimestamp(3).toInstant(), row.getString(4), row.getString(5),
                row.getInt(6)), range.months, range.epoch, Long.toString(range.xact),
                range.place, range.below, max);
        Map<Integer, List<UUID>> byMonth = new TreeMap<>();
        steps.stream().filter(Step::hasEvent).forEach(step -> byMonth.computeIfAbsent(step.month,
                month -> new ArrayList<>()).add(UUID.fromString(step.order)));
        Map<String, OrderView> orders = new HashMap<>();
        // Month by month, because for a month without statistics the planner might choose another
        // index.
        for (Map.Entry<Integer, List<UUID>> entry : byMonth.entrySet()) {
            STEPPED_ORDERS.each(connection, row -> orders.put(row.getString(1), stepped(row)),
                    entry.getKey(), SqlArray.ids(entry.getValue()), entry.getKey(),
                    entry.getKey());
        }
        List<Stepped> found = new ArrayList<>();
        for (Step step : steps) {
            OrderView order = orders.get(step.order);
            found.add(new Stepped(step.xact, step.place, !step.hasEvent() || order == null ? null
                    : CloudEvent.ofOrder(order.sale(), step.order, step.kind, step.at.toString(),
                            order.withStatus(step.kind))));
        }
        return found;
    }

    private static OrderView stepped(ResultSet row) throws SQLException {
        return OrderView.of(row.getString(1), row.getString(2), row.getString(3), REJECTED,
                row.getString(4), row.getString(5), row.getLong(6), row.getLong(7))
                .withPayment(row.getString(8));
    }

    /** Changes that are not steps of orders, after the start of a range, in order. */
    static List<Changed> changes(Connection connection, Range range, int max)
            throws SQLException {
        return CHANGES.list(connection, row -> new Changed(Long.parseLong(row.getString(1)),
                row.getLong(2), row.getTimestamp(3).toInstant(), row.getString(4),
                row.getString(5), row.getString(6), row.getString(7), row.getString(8)),
                range.epoch, Long.toString(range.xact), range.place, range.below, max);
    }
}
