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

    /** Before every event. */
    static final Position START = Position.START;

    /** Above the number of orders and grabs of any transaction. */
    static final long AFTER_ITEMS = 1L << 32;
    /** After all events of a transaction. */
    private static final long AFTER_ALL = 1L << 60;
    private static final int BLOCKS_MAX = 200;
    /** How long a call searches for events, well below a client's timeout. */
    private static final long SEARCH_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Comparator<Position> ORDER =
            Comparator.comparingLong(Position::xact).thenComparingLong(Position::place);
    private static final Comparator<Block> BY_PLACE =
            Comparator.comparingLong(Block::xact).thenComparingInt(Block::afterPlace);
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
     * Reads at most {@code limit} events after a position. A page is empty if the journal has none
     * for now, or if a search of one second found none; its position has advanced then.
     */
    static Page read(Connection connection, Position after, int limit) throws SQLException {
        return read(connection, months(connection), Journal.bound(connection, after.epoch()),
                after, limit);
    }

    /**
     * As {@link #read}; null if a reader cannot continue at the position, because its row was
     * archived, or was lost in a failover of PostgreSQL. A position of {@link #end} has no row, and
     * is valid while the same PostgreSQL process serves.
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
        Page page = once(connection, months, bound, after, limit);
        while (page.events.isEmpty() && !page.isEnd
                && System.nanoTime() - begun < SEARCH_NANOS) {
            page = once(connection, months, Journal.bound(connection, page.next.epoch()),
                    page.next, limit);
        }
        return page;
    }

    private static SqlArray months(Connection connection) throws SQLException {
        return SqlArray.integers(Months.kept(connection));
    }

    private static boolean isKnown(Connection connection, SqlArray months, Journal.Bound bound,
            Position at) throws SQLException {
        if (at.place() == AFTER_ALL) {
            return at.epoch() == bound.newest();
        }
        return at.epoch() <= bound.newest()
                && (at.xact() == 0 || CursorRows.exist(connection, months, at));
    }

    /** The position after everything that is committed now, and before all open transactions. */
    static Position end(Connection connection, int epoch) throws SQLException {
        Journal.Bound bound = Journal.bound(connection, epoch);
        return new Position(epoch, Long.parseLong(bound.below()) - 1, AFTER_ALL);
    }

    private static Page once(Connection connection, SqlArray months, Journal.Bound bound,
            Position after, int limit) throws SQLException {
        boolean isInItems = after.place() < AFTER_ITEMS;
        Range range = new Range(months, after.epoch(), after.xact(),
                isInItems ? 0 : after.place() - AFTER_ITEMS, bound.below());
        List<Entry> found = new ArrayList<>();
        Position end = items(connection, isInItems ? range : new Range(months, after.epoch(),
                after.xact() + 1, 0, bound.below()), isInItems ? after.place() : 0, limit, found);
        List<EventRows.Stepped> steps = EventRows.steps(connection, range, limit);
        steps.forEach(step -> found.add(new Entry(
                positionOf(after, step.xact(), step.place()), step.event())));
        List<Changed> changes = EventRows.changes(connection, range, limit);
        changes.forEach(change -> found.add(new Entry(
                positionOf(after, change.xact(), change.place()), event(change))));
        if (steps.size() == limit) {
            EventRows.Stepped last = steps.get(limit - 1);
            end = earlier(end, positionOf(after, last.xact(), last.place()));
        }
        if (changes.size() == limit) {
            Changed last = changes.get(limit - 1);
            end = earlier(end, positionOf(after, last.xact(), last.place()));
        }
        found.removeIf(entry -> ORDER.compare(entry.at, after) <= 0);
        found.sort(Comparator.comparing(Entry::at, ORDER));
        return page(found, after, end, limit, bound.isOver());
    }

    private static Page page(List<Entry> found, Position after, @Nullable Position end, int limit,
            boolean isOver) {
        List<CloudEvent> events = new ArrayList<>();
        Position next = after;
        for (Entry entry : found) {
            if (end != null && ORDER.compare(entry.at, end) > 0) {
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
        long orders = 0;
        Position end = null;
        boolean isFull = false;
        for (Block block : blocks) {
            long unread = block.lastPlace() - Math.max(block.afterPlace(),
                    block.xact() == range.xact() ? alreadyRead : 0);
            isFull = unread > 0 && orders >= limit;
            if (isFull) {
                break;
            }
            if (unread > 0) {
                wanted.add(block);
                orders += unread;
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
                        block.afterPlace() + i + 1), stored.get(i).event()));
            }
        });
    }

    /** The position of a step or change, in the epoch of the reader's position. */
    private static Position positionOf(Position after, long xact, long place) {
        return new Position(after.epoch(), xact, AFTER_ITEMS + place);
    }

    private static Position earlier(@Nullable Position first, Position second) {
        return first == null || ORDER.compare(second, first) < 0 ? second : first;
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
