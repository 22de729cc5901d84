package dev.rush.reconciliation.repair;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.Cursor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LossRows;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.SoundLedger;
import dev.rush.order.BuyerRecord.Line;
import dev.rush.reconciliation.repair.RebuildWork.Counted;
import dev.rush.reconciliation.report.FreedOrders;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import dev.rush.redis.Script;
import dev.rush.redis.Shards;
import dev.rush.redis.batch.BatchScripts;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.sale.Preparation;
import dev.rush.sale.shard.MissingKeys;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Rebuilds a sale that Redis lost from the ledger: terms, stock, each user's units, and every key
 * with its first answer. The rest of its stock is removed first, so that it gets no new orders;
 * then orders and changes that are still in the streams must reach the ledger. Only then are its
 * records removed, because a ledger that has lost commits is refilled from them. The ledger is read
 * in pages, each in a short transaction. Orders that end meanwhile are either credited before their
 * page is read, and filled as such, or credited when the stock is back. If one of several shards
 * was lost, all are rebuilt, because the total is distributed anew. If commits of the ledger may be
 * lost, nothing is rebuilt.
 */
@Singleton
class Rebuild {

    private static final int PART = 500;
    private static final Actor ACTOR = Actor.service("repair");

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Requeue requeue;
    private final MissingKeys keys;
    private final Json json;
    private final long drainMs;

    @Inject
    Rebuild(Ledger ledger, RedisCommands redis, Requeue requeue, MissingKeys keys, Json json,
            RushConfig config) {
        this.keys = keys;
        this.ledger = ledger;
        this.redis = redis;
        this.requeue = requeue;
        this.json = json;
        this.drainMs = config.books().drain().toMillis();
    }

    /**
     * Rebuilds the sale, all shards of it if one was lost, and returns how many orders it has.
     *
     * @throws dev.rush.http.ProblemException {@code unavailable} if the streams do not drain
     * @throws dev.rush.ledger.LedgerFailure if PostgreSQL may lack commits, or fails over meanwhile
     */
    long rebuild(String sale, int month, Shards shards) {
        SoundLedger sound = SoundLedger.begin(ledger, shards);
        if (shards.partitions().stream().noneMatch(shard -> clear(sale, shard, "0", "0"))) {
            return 0;
        }
        shards.partitions().forEach(shard -> clear(sale, shard, "1", "0"));
        if (!requeue.awaitDrained(shards, sale, drainMs)) {
            throw stillWaiting();
        }
        sound.require();
        // This also removes what an interrupted rebuild has left behind.
        shards.partitions().forEach(shard -> clear(sale, shard, "1", "1"));
        return fill(new RebuildWork(sale, month, shards, ledger.transact(
                (connection, ledgerState) -> RebuiltSale.read(connection, sale))), sound);
    }

    /** Clears a shard, as the script's arguments say. Returns whether it did. */
    private boolean clear(String sale, Partition shard, String evenWhole, String records) {
        return call(RepairScripts.CLEAR,
                shard.keys().sale(sale, "conf", "stock", "buyers", "transfers", "received"),
                List.of(evenWhole, records)).equals("cleared");
    }

    private static RuntimeException stillWaiting() {
        return new ProblemException(
                Problem.of(OutcomeCode.UNAVAILABLE, "Orders or changes of this sale still wait for "
                + "the ledger; try again when they are stored."));
    }

    private long fill(RebuildWork work, SoundLedger sound) {
        // Read first, so that an order stored meanwhile is found in any case; it counts once.
        List<Order> failed = ledger.transact((connection, ledgerState) ->
                FailedOrders.ofSale(connection, work.sale()));
        Set<UUID> open = failed.stream().map(Order::id).collect(Collectors.toSet());
        long orders = pages(work, false, open);
        List<Order> remaining = failed.stream().filter(order -> open.contains(order.id())).toList();
        for (int i = 0; i < remaining.size(); i += PART) {
            put(work, remaining.subList(i, Math.min(remaining.size(), i + PART)), Set.of());
        }
        // A key belongs to a rejected order only if no other order has it, so those come last.
        orders += remaining.size() + pages(work, true, open);
        boolean room = makeRoom(work);
        ledger.transactOrNull((connection, ledgerState) -> {
            sound.require(connection, ledgerState);
            tombstones(work, RebuiltSale.refusedKeys(connection, work.sale(), work.month()));
            release(connection, work, room);
            AuditRows.insert(connection, ledgerState, UUID.randomUUID(), ACTOR, "sale.rebuilt",
                    work.sale(), null, null, null);
            return null;
        });
        return orders;
    }

    /**
     * Fills in orders page by page.
     *
     * @param open failed orders that were not found yet; refused ones among them are filled in
     */
    private long pages(RebuildWork work, boolean refused, Set<UUID> open) {
        long orders = 0;
        Cursor after = Cursor.START;
        int read;
        do {
            Cursor from = after;
            Set<UUID> freed = new HashSet<>();
            List<Order> page = ledger.transact((connection, ledgerState) -> {
                List<Order> all = refused
                        ? OrderRows.rejectedPage(connection, work.month(), work.sale(), from, PART)
                        : OrderRows.page(connection, work.month(), work.sale(), from, PART);
                freed.addAll(FreedOrders.of(connection, work.month(), all));
                return all;
            });
            put(work, page.stream().filter(order -> !refused || !open.contains(order.id()))
                    .toList(), freed);
            page.forEach(order -> open.remove(order.id()));
            read = page.size();
            orders += read;
            if (read > 0) {
                after = new Cursor(page.get(read - 1).user(), page.get(read - 1).id());
            }
        } while (read == PART);
        return orders;
    }

    private void put(RebuildWork work, List<Order> orders, Set<UUID> freed) {
        List<List<String>> args = new ArrayList<>();
        work.shards().partitions().forEach(shard -> args.add(new ArrayList<>()));
        for (Order order : orders) {
            int shard = work.shards().home(order.user());
            order.quantities().forEach((sku, units) -> count(
                    work.counted(shard, sku), order, units, freed.contains(order.id())));
            Line line = order.status() == OrderStatus.REJECTED ? Line.of(order).rejected()
                    : Line.of(order);
            args.get(shard).addAll(List.of(order.user(), line.text(), line.key()));
        }
        fillPart(work, args);
    }

    private void fillPart(RebuildWork work, List<List<String>> args) {
        for (int shard = 0; shard < args.size(); shard++) {
            String word = args.get(shard).isEmpty() ? "filled"
                    : call(RepairScripts.FILL, work.shards().get(shard).keys()
                            .sale(work.sale(), "stock", "buyers"), args.get(shard));
            if (!word.equals("filled")) {
                throw rebuiltMeanwhile();
            }
        }
    }

    private static RuntimeException rebuiltMeanwhile() {
        return new ProblemException(
                Problem.of(OutcomeCode.UNAVAILABLE,
                        "Another repair has rebuilt this sale; try again."));
    }

    private static void count(Counted item, Order order, long units, boolean freed) {
        if (order.status().isEnded()) {
            item.credited += units;
        } else if (order.status() != OrderStatus.REJECTED) {
            item.held += units;
        } else if (!freed) {
            item.rejected += units;
        }
    }

    private void tombstones(RebuildWork work, List<String> userKeys) {
        for (int i = 0; i < userKeys.size(); i += PART) {
            List<List<String>> args = new ArrayList<>();
            work.shards().partitions().forEach(shard -> args.add(new ArrayList<>()));
            userKeys.subList(i, Math.min(userKeys.size(), i + PART)).forEach(userKey -> {
                String[] words = userKey.split(" ");
                args.get(work.shards().home(words[0]))
                        .addAll(List.of(words[0], "t " + words[1], words[1]));
            });
            fillPart(work, args);
        }
    }

    /** Whether rejected orders keep their units, which they do if there is enough stock. */
    private boolean makeRoom(RebuildWork work) {
        boolean room = work.known().items().stream().allMatch(item ->
                work.sum(item.sku(), counted -> counted.held + counted.rejected) <= item.total());
        if (!room) {
            Settlement.settleAll(ledger, work.sale(), work.month());
        }
        return room;
    }

    private void release(Connection connection, RebuildWork work, boolean room)
            throws SQLException {
        // Transfers that began before this must not deliver units now.
        String generation = Long.toString(System.currentTimeMillis());
        for (int shard = 0; shard < work.shards().count(); shard++) {
            release(connection, work, shard, room, generation);
        }
        keys.ensure(work.sale(), work.shards()).join();
    }

    private void release(Connection connection, RebuildWork work, int shard, boolean room,
            String generation) throws SQLException {
        Partition partition = work.shards().get(shard);
        long seq = work.known().seq(partition);
        List<String> args = new ArrayList<>(List.of(work.sale(),
                Long.toString(work.known().preparedAtMs()), Long.toString(seq),
                shard == 0 ? "1" : "0"));
        work.known().conf(json).forEach(
                (field, value) -> args.addAll(List.of("conf", field, value)));
        args.addAll(List.of("conf", "generation", generation));
        work.known().items().forEach(item -> {
            Counted counted = work.counted(shard, item.sku());
            long ordered = counted.held + (room ? counted.rejected : 0);
            long free = Math.max(0, item.total() - work.sum(item.sku(),
                    each -> each.held + (room ? each.rejected : 0)));
            put(args, item.sku() + ":total",
                    ordered + Preparation.share(free, shard, work.shards().count()));
            put(args, item.sku() + ":ordered", ordered);
            put(args, item.sku() + ":limit", item.limit());
            put(args, item.sku() + ":version", item.version());
            put(args, item.sku() + ":credited", counted.credited);
            if (shard == 0 && work.shards().isSplit()) {
                put(args, item.sku() + ":whole", item.total());
            }
        });
        // Begins a tenure before the raise, at the lower number, so that a later loss that reaches
        // below the raise has a lower bound for its orders' times.
        redis.script(BatchScripts.TENURES, partition.keys().sequence().named("tenures"),
                List.of()).join();
        Reply reply = redis.script(RepairScripts.RELEASE,
                partition.keys().sale(work.sale(), "conf", "stock").named("sales").sequence(),
                args).join();
        if (!reply.at(0).word().equals("released")) {
            throw rebuiltMeanwhile();
        }
        LossRows.noteSkipped(connection, partition.index(), reply.at(1).number(), seq,
                reply.at(2).number());
    }

    private static void put(List<String> args, String field, long value) {
        args.addAll(List.of("stock", field, Long.toString(value)));
    }

    private String call(Script script, Keys keys, List<String> args) {
        return redis.script(script, keys, args).join().word();
    }
}
