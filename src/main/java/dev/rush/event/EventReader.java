package dev.rush.event;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rush.event.EventRows.Block;
import dev.rush.event.EventRows.Changed;
import dev.rush.event.EventRows.Item;
import dev.rush.event.EventRows.Range;
import dev.rush.ledger.Journal;
import dev.rush.ledger.Months;
import dev.rush.ledger.Position;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads the journal as events, by position. Within a transaction, its orders and grabs come first,
 * then steps and other changes at their places, so a step follows its order. A reader stops before
 * the oldest open transaction (see {@link Journal}), so that it misses no event that is committed
 * later.
 */
final class EventReader {

    /**
     * The place after all orders and grabs of a transaction. A step or change with place p in the
     * journal is at AFTER_ITEMS + p.
     */
    static final long AFTER_ITEMS = 1L << 32;
    /** After all events of a transaction. */
    private static final long AFTER_ALL = 1L << 60;
    /** Blocks per query; the last transaction's are complete even beyond it. */
    private static final int BLOCKS_MAX = 200;
    /** How long a call searches for events, well below a client's timeout. */
    private static final long SEARCH_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Comparator<Block> BY_PLACE =
            Comparator.comparingLong(Block::xact).thenComparingInt(Block::placesBefore);
    private static final Comparator<Item> IN_BLOCK = Comparator.comparing(Item::isGrab)
            .thenComparingLong(Item::seq).thenComparing(Item::id);
    /** Event types of sales and rains by their names in the journal. */
    private static final Map<String, String> KINDS = Map.of("prepared", "prepared",
            "opened", "opened", "paused", "paused", "resumed", "resumed", "closed", "closed",
            "rescheduled", "changed", "sold-out", "sold-out", "emptied", "emptied");
    private static final Set<String> TOTALS = Set.of("item.total-changed", "item.total-corrected");
    private static final JsonMapper MAPPER = new JsonMapper();

    private EventReader() {
    }

    /**
     * Events after a position.
     *
     * @param next  position from which to continue
     * @param isEnd whether the journal has no more events for now
     */
    record Page(List<CloudEvent> events, Position next, boolean isEnd) {
    }

    private record Entry(Position at, @Nullable CloudEvent event) {
    }

    /**
     * Reads at most {@code limit} events after a position. A page is empty if the journal has no
     * more for now, or if a search of one second found none; in the latter case its position has
     * still advanced.
     */
    static Page read(Connection connection, Position after, int limit) throws SQLException {
        return read(connection, months(connection), Journal.bound(connection, after.epoch()),
                after, limit);
    }

    /**
     * Like {@link #read}, but returns null if the row at the position was archived, or was lost in
     * a failover of PostgreSQL. The position of an archived month's last event remains known. A
     * position from {@link #end} has no row; it is known while the same PostgreSQL process serves.
     */
    static @Nullable Page readIfKnown(Connection connection, Position after, int limit)
            throws SQLException {
        SqlArray months = months(connection);
        Journal.Bound bound = Journal.bound(connection, after.epoch());
        return isKnown(connection, months, bound, after)
                ? read(connection, months, bound, after, limit) : null;
    }

    private static Page read(Connection connection, SqlArray months, Journal.Bound bound,
            Position after, int limit) throws SQLException {
        long begun = System.nanoTime();
        Page page = readPage(connection, months, bound, after, limit);
        while (page.events.isEmpty() && !page.isEnd
                && System.nanoTime() - begun < SEARCH_NANOS) {
            page = readPage(connection, months, Journal.bound(connection, page.next.epoch()),
                    page.next, limit);
        }
        return page;
    }

    /** The months whose events are read: not those whose tables are being detached. */
    private static SqlArray months(Connection connection) throws SQLException {
        List<Integer> months = new ArrayList<>(Months.kept(connection));
        months.removeAll(ArchivedEvents.months(connection));
        return SqlArray.integers(months);
    }

    private static boolean isKnown(Connection connection, SqlArray months, Journal.Bound bound,
            Position at) throws SQLException {
        if (at.place() == AFTER_ALL) {
            return at.epoch() == bound.newest();
        }
        return at.epoch() <= bound.newest()
                && (at.xact() == 0 || CursorRows.exist(connection, months, at)
                || ArchivedEvents.endAt(connection, at));
    }

    /** The position after everything that is committed now, and before all open transactions. */
    static Position end(Connection connection, int epoch) throws SQLException {
        Journal.Bound bound = Journal.bound(connection, epoch);
        return new Position(epoch, Long.parseLong(bound.below()) - 1, AFTER_ALL);
    }

    private static Page readPage(Connection connection, SqlArray months, Journal.Bound bound,
            Position after, int limit) throws SQLException {
        boolean isInItems = after.place() < AFTER_ITEMS;
        Range range = new Range(months, after.epoch(), after.xact(),
                isInItems ? 0 : after.place() - AFTER_ITEMS, bound.below());
        List<Entry> found = new ArrayList<>();
        // Whatever was read up to the limit may have more: the page ends where the first one ends.
        Position end = isInItems ? items(connection, range, after.place(), limit, found)
                : items(connection, range.fromNextTransaction(), 0, limit, found);
        end = earlier(end, steps(connection, range, limit, found));
        end = earlier(end, changes(connection, range, limit, found));
        found.removeIf(entry -> entry.at.compareTo(after) <= 0);
        found.sort(Comparator.comparing(Entry::at));
        return page(found, after, end, limit, bound.isOver());
    }

    private static Page page(List<Entry> found, Position after, @Nullable Position end, int limit,
            boolean isOver) {
        List<CloudEvent> events = new ArrayList<>();
        Position next = after;
        for (Entry entry : found) {
            if (end != null && entry.at.compareTo(end) > 0) {
                break;
            }
            if (events.size() == limit) {
                return new Page(events, next, false);
            }
            next = entry.at;
            if (entry.event != null) {
                events.add(entry.event);
            }
        }
        if (end != null) {
            // Everything up to this position was read, and nothing after it.
            return new Page(events, end, false);
        }
        return events.isEmpty() && isOver
                ? new Page(events, new Position(after.epoch() + 1, 0, 0), false)
                : new Page(events, next, !isOver);
    }

    /**
     * Reads the orders and grabs of whole blocks.
     *
     * @param alreadyRead place in the first transaction up to which an earlier page read
     * @param limit       blocks are read until they have so many unread orders and grabs
     * @return the position up to which it read; null if there are no more
     */
    private static @Nullable Position items(
            Connection connection, Range range, long alreadyRead, int limit,
            List<Entry> found) throws SQLException {
        List<Block> blocks = EventRows.blocks(connection, range, BLOCKS_MAX);
        blocks.sort(BY_PLACE);
        List<Block> wanted = new ArrayList<>();
        long unreadTotal = 0;
        Position end = null;
        boolean isFull = false;
        for (Block block : blocks) {
            long unread = block.lastPlace() - Math.max(block.placesBefore(),
                    block.xact() == range.xact() ? alreadyRead : 0);
            isFull = unread > 0 && unreadTotal >= limit;
            if (isFull) {
                break;
            }
            if (unread > 0) {
                wanted.add(block);
                unreadTotal += unread;
            }
            end = new Position(range.epoch(), block.xact(), block.lastPlace());
        }
        add(EventRows.items(connection, range.months(), wanted), range.epoch(), found);
        // Unless the page is full, the last transaction was read to its end.
        return isFull ? end : blocks.size() < BLOCKS_MAX ? null : new Position(range.epoch(),
                blocks.get(blocks.size() - 1).xact(), AFTER_ITEMS);
    }

    private static void add(List<Item> items, int epoch, List<Entry> found) {
        Map<Block, List<Item>> byBlock = new IdentityHashMap<>();
        items.forEach(item -> byBlock.computeIfAbsent(
                item.block(), block -> new ArrayList<>()).add(item));
        byBlock.forEach((block, stored) -> {
            stored.sort(IN_BLOCK);
            for (int i = 0; i < stored.size(); i++) {
                found.add(new Entry(new Position(epoch, block.xact(),
                        block.placesBefore() + i + 1), stored.get(i).event()));
            }
        });
    }

    /** Reads steps. Returns the position of the last one; null if there are no more. */
    private static @Nullable Position steps(Connection connection, Range range, int limit,
            List<Entry> found) throws SQLException {
        List<EventRows.Stepped> steps = EventRows.steps(connection, range, limit);
        steps.forEach(step -> found.add(new Entry(
                positionOf(range, step.xact(), step.place()), step.event())));
        return steps.size() < limit ? null : found.get(found.size() - 1).at;
    }

    /** Reads other changes. Returns the position of the last one; null if there are no more. */
    private static @Nullable Position changes(Connection connection, Range range, int limit,
            List<Entry> found) throws SQLException {
        List<Changed> changes = EventRows.changes(connection, range, limit);
        changes.forEach(change -> found.add(new Entry(
                positionOf(range, change.xact(), change.place()), event(change))));
        return changes.size() < limit ? null : found.get(found.size() - 1).at;
    }

    /** The position of a step or change, in the epoch of the range. */
    private static Position positionOf(Range range, long xact, long place) {
        return new Position(range.epoch(), xact, AFTER_ITEMS + place);
    }

    private static @Nullable Position earlier(
            @Nullable Position first, @Nullable Position second) {
        if (first == null || second == null) {
            return first == null ? second : first;
        }
        return second.compareTo(first) < 0 ? second : first;
    }

    /** The event of a change; null for a change without an event. */
    private static @Nullable CloudEvent event(Changed change) {
        int dot = change.action().indexOf('.');
        String prefix = change.action().substring(0, Math.max(0, dot));
        Map<String, Object> data = new LinkedHashMap<>();
        if (TOTALS.contains(change.action())) {
            int slash = change.subject().indexOf('/');
            String sale = change.subject().substring(0, slash);
            data.put("sale", sale);
            data.put("sku", change.subject().substring(slash + 1));
            return offer(true, sale, "changed", change, data);
        }
        String kind = KINDS.get(change.action().substring(dot + 1));
        if (kind == null || !prefix.equals("sale") && !prefix.equals("rain")) {
            return null;
        }
        data.put(prefix, change.subject());
        return offer(prefix.equals("sale"), change.subject(), kind, change, data);
    }

    private static CloudEvent offer(boolean isSale, String offer, String kind, Changed change,
            Map<String, Object> data) {
        try {
            if (change.before() != null) {
                data.put("before", MAPPER.readTree(change.before()));
            }
            if (change.after() != null) {
                data.put("after", MAPPER.readTree(change.after()));
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
        return CloudEvent.ofOffer(isSale, offer, change.id(), kind, change.at(), data);
    }
}
