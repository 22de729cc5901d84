package dev.rush.reconciliation.repair;

import dev.rush.ledger.Cursor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.Lines;
import dev.rush.ledger.Months;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.SoundLedger;
import dev.rush.order.BuyerRecord.Line;
import dev.rush.reconciliation.report.FreedOrders;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Deducts again what a failover of Redis lost and the ledger still has, order by order: if an order
 * is missing in its user's record, its deduction was lost too, because both were written together.
 * It also repeats lost credits. An order that ends meanwhile is credited either before it is
 * restored, and then its line exists, or after, and then its units go back. Repeating it changes
 * nothing. If commits of the ledger may be lost, nothing is restored.
 */
@Singleton
class Restorer {

    private static final int PAGE = 500;

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final OfferCache offers;
    private final Corrections corrections;

    @Inject
    Restorer(Ledger ledger, RedisCommands redis, Partitions partitions, OfferCache offers,
            Corrections corrections) {
        this.ledger = ledger;
        this.redis = redis;
        this.partitions = partitions;
        this.offers = offers;
        this.corrections = corrections;
    }

    /**
     * The result of a restoration.
     *
     * @param orders   restored in Redis
     * @param shortBy  units that could not be deducted again, because other orders have them
     * @param credited orders whose credit was repeated
     */
    record Restored(long orders, long shortBy, long credited) {

        static final Restored NOTHING = new Restored(0, 0, 0);

        Restored plus(Restored other) {
            return new Restored(orders + other.orders, shortBy + other.shortBy,
                    credited + other.credited);
        }
    }

    /** The orders of a page that hold units in Redis or were credited there. */
    private record Page(List<Order> all, Set<UUID> freed) {

        private List<Order> kept() {
            return all.stream().filter(order -> order.status() != OrderStatus.REJECTED
                    || !freed.contains(order.id())).toList();
        }
    }

    /** Restores all orders of a sale. */
    Restored restore(String sale, int month, Shards shards) {
        SoundLedger.begin(ledger, shards);
        // Read first, so that an order stored meanwhile is found in any case.
        List<Order> failed = ledger.transact((connection, ledgerState) ->
                FailedOrders.ofSale(connection, sale));
        return restore(failed).plus(pages(sale, month, false)).plus(pages(sale, month, true));
    }

    private Restored pages(String sale, int month, boolean refused) {
        return pages(last -> ledger.transact((connection, ledgerState) -> {
            Cursor after = last == null ? Cursor.START : new Cursor(last.user(), last.id());
            List<Order> read = refused
                    ? OrderRows.rejectedPage(connection, month, sale, after, PAGE)
                    : OrderRows.page(connection, month, sale, after, PAGE);
            return new Page(read, FreedOrders.of(connection, month, read));
        }));
    }

    /** Restores orders above a number in a partition, of all its sales. */
    Restored restore(int partition, long low) {
        List<Order> failed = ledger.transactIfSound(partition, (connection, ledgerState) ->
                FailedOrders.ofPartition(connection, partition, low));
        return restore(failed).plus(pages(partition, low, false))
                .plus(pages(partition, low, true));
    }

    private Restored pages(int partition, long low, boolean refused) {
        return pages(last -> ledger.transactIfSound(partition, (connection, ledgerState) -> {
            List<Integer> months = Months.live(connection);
            long seq = last == null ? low + 1 : last.seq();
            UUID id = last == null ? Cursor.START.id() : last.id();
            List<Order> read = refused
                    ? OrderRows.rejectedPartitionPage(connection, months, partition, seq, id, PAGE)
                    : OrderRows.partitionPage(connection, months, partition, seq, id, PAGE);
            Set<UUID> freed = new HashSet<>();
            for (Map.Entry<Integer, List<Order>> month : read.stream()
                    .collect(Collectors.groupingBy(Order::month)).entrySet()) {
                freed.addAll(FreedOrders.of(connection, month.getKey(), month.getValue()));
            }
            return new Page(read, freed);
        }));
    }

    /**
     * Restores page by page.
     *
     * @param read reads the page after an order; the first page after null
     */
    private Restored pages(Function<@Nullable Order, Page> read) {
        Page page = read.apply(null);
        Restored all = restore(page);
        while (page.all.size() == PAGE) {
            page = read.apply(page.all.get(PAGE - 1));
            all = all.plus(restore(page));
        }
        return all;
    }

    private record Shard(String sale, int partition) {
    }

    private Restored restore(List<Order> failed) {
        Restored all = Restored.NOTHING;
        for (int from = 0; from < failed.size(); from += PAGE) {
            all = all.plus(restore(new Page(
                    failed.subList(from, Math.min(failed.size(), from + PAGE)), Set.of())));
        }
        return all;
    }

    private Restored restore(Page page) {
        return page.kept().stream()
                .collect(Collectors.groupingBy(order -> new Shard(order.sale(),
                        order.partition())))
                .entrySet().stream().map(shard -> restore(shard.getKey().sale,
                        partitions.all().get(shard.getKey().partition), shard.getValue(),
                        page.freed))
                .reduce(Restored.NOTHING, Restored::plus);
    }

    private Restored restore(String sale, Partition partition, List<Order> orders,
            Set<UUID> freed) {
        List<String> args = new ArrayList<>(6 * orders.size());
        for (Order order : orders) {
            Line line = Line.of(order);
            args.addAll(List.of(order.user(), line.order(), line.key(), line.lines(),
                    line.state(), line.text()));
        }
        List<String> words = redis.script(RepairScripts.RESTORE,
                partition.keys().sale(sale, "conf", "stock", "buyers"), args).join().texts();
        long restored = 0;
        long shortBy = 0;
        List<Order> lost = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String[] word = words.get(i).split(" ");
            if (word[0].equals("restored")) {
                restored++;
                shortBy += word[1].equals("-") ? 0
                        : deduct(sale, partition, Lines.quantities(word[1]));
            } else if (words.get(i).equals("repeated a") && orders.get(i).status().isEnded()
                    && freed.contains(orders.get(i).id())) {
                lost.add(orders.get(i));
            }
        }
        return new Restored(restored, shortBy, lost.isEmpty() ? 0
                : creditAgain(sale, partition, lost));
    }

    /** The ledger has recorded these credits, so nothing else repeats them. */
    private long creditAgain(String sale, Partition partition, List<Order> lost) {
        List<String> args = new ArrayList<>(3 * lost.size());
        lost.forEach(order -> args.addAll(List.of(order.user(), order.id().toString(),
                Line.of(order).state())));
        return redis.script(RepairScripts.CREDIT,
                partition.keys().sale(sale, "conf", "stock", "buyers"), args).join().texts()
                .stream().filter("credited"::equals).count();
    }

    /** Deducts units that one shard lacked from the others. Returns how many are still missing. */
    private long deduct(String sale, Partition partition, Map<String, Long> missing) {
        Shards shards = offers.shards(offers.readSale(sale), sale);
        int shard = shards.partitions().indexOf(partition);
        return missing.entrySet().stream().mapToLong(line -> line.getValue()
                - (shards.isSplit() && shard >= 0 ? corrections.deduct(
                        sale, shards, shard, line.getKey(), line.getValue()) : 0)).sum();
    }
}
