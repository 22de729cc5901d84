package dev.rush.books;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Word;
import dev.rush.order.Ledger;
import dev.rush.order.sql.Sql;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Script;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.sale.Preparation;
import dev.rush.sale.SaleDefinition;
import dev.rush.sale.shard.MissingKeys;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.ToLongFunction;

/**
 * Rebuilds a sale that Redis lost from what the ledger knows of it: terms, stock, what each user
 * took, and every key with its first answer. What is left of the sale is closed first; then orders
 * that still lie in the stream have to reach the ledger; then the writers of the partition are
 * fenced until the stock is released. If one shard of several was lost, all are rebuilt, as the
 * total is dealt anew.
 */
@Singleton
class Rebuild {

    private static final int PART = 500;
    /** A writer commits under the token of its partition's row, which this transaction holds. */
    private static final Sql FENCE = Sql.named("fence-writers",
            "UPDATE leases SET token = token + 1 WHERE partition = ?");

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

    /** Units of one item in one shard as they are counted while rebuilding. */
    private static final class Counted {
        private long held;
        private long rejected;
        private long credited;
    }

    /** A sale while it is rebuilt; what is counted is by shard and sku. */
    private record Work(String sale, Shards shards, RebuiltSale known,
            List<Map<String, Counted>> counted) {

        Work(String sale, Shards shards, RebuiltSale known) {
            this(sale, shards, known, new ArrayList<>());
            shards.partitions().forEach(shard -> {
                Map<String, Counted> items = new HashMap<>();
                known.items().forEach(item -> items.put(item.sku(), new Counted()));
                counted.add(items);
            });
        }

        long sum(String sku, ToLongFunction<Counted> units) {
            return counted.stream().mapToLong(items -> units.applyAsLong(items.get(sku))).sum();
        }
    }

    /**
     * Rebuilds the sale, all shards of it if one was lost, and returns how many orders it has.
     *
     * @throws dev.rush.http.ProblemException {@code unavailable} if the streams do not drain
     */
    long rebuild(String sale, Shards shards) {
        if (shards.partitions().stream().noneMatch(shard -> clear(sale, shard, false))) {
            return 0;
        }
        shards.partitions().forEach(shard -> clear(sale, shard, true));
        if (!requeue.awaitDrained(shards, sale, drainMs)) {
            throw stillWaiting();
        }
        return ledger.transact(connection -> {
            for (Partition shard : inOrder(shards)) {
                FENCE.update(connection, shard.index());
            }
            if (!requeue.awaitDrained(shards, sale, 0)) {
                throw stillWaiting();
            }
            // Whatever an earlier rebuild that was cut off has put there.
            shards.partitions().forEach(shard -> clear(sale, shard, true));
            return fill(connection, new Work(sale, shards, RebuiltSale.read(connection, sale)));
        });
    }

    /** Clears a shard that is not whole, or any. Says whether it did. */
    private boolean clear(String sale, Partition shard, boolean evenWhole) {
        return call(BookScripts.CLEAR,
                shard.keys().sale(sale, "conf", "stock", "buyers", "transfers", "received"),
                List.of(evenWhole ? "1" : "0")).equals("cleared");
    }

    /** Rows are locked in one order, by everyone. */
    private static List<Partition> inOrder(Shards shards) {
        return shards.partitions().stream()
                .sorted(Comparator.comparing(Partition::index)).toList();
    }

    private static RuntimeException stillWaiting() {
        return new ProblemException(
                Problem.of(Word.UNAVAILABLE, "Orders of this sale still wait for the ledger; "
                + "try again when they are stored."));
    }

    private long fill(Connection connection, Work work) throws SQLException {
        long orders = 0;
        UUID after = KnownOrder.FIRST;
        // A key belongs to a rejected order only where no other has it, so those come last.
        List<KnownOrder> last = new ArrayList<>(KnownOrder.dead(connection, work.sale));
        List<KnownOrder> part;
        do {
            part = KnownOrder.read(connection, work.sale, -1, -1, after, PART);
            after = part.isEmpty() ? after : part.get(part.size() - 1).order();
            List<KnownOrder> first = new ArrayList<>(part);
            first.removeIf(order -> order.status().equals("rejected") && last.add(order));
            put(work, first);
            orders += first.size();
        } while (part.size() == PART);
        for (int i = 0; i < last.size(); i += PART) {
            put(work, last.subList(i, Math.min(last.size(), i + PART)));
        }
        tombstones(work, RebuiltSale.refusedKeys(connection, work.sale));
        release(connection, work);
        return orders + last.size();
    }

    private void put(Work work, List<KnownOrder> orders) {
        List<List<String>> args = new ArrayList<>();
        work.shards.partitions().forEach(shard -> args.add(new ArrayList<>()));
        for (KnownOrder order : orders) {
            int shard = work.shards.home(order.user());
            Quantities.of(order.lines()).forEach((sku, units) ->
                    count(work.counted.get(shard).get(sku), order, units));
            boolean isRejected = order.status().equals("rejected");
            args.get(shard).addAll(List.of(order.user(),
                    order.line(isRejected ? "r" : order.state()), order.clientKey()));
        }
        fillPart(work, args);
    }

    private void fillPart(Work work, List<List<String>> args) {
        for (int shard = 0; shard < args.size(); shard++) {
            String word = args.get(shard).isEmpty() ? "filled"
                    : call(BookScripts.FILL, work.shards.get(shard).keys()
                            .sale(work.sale, "stock", "buyers"), args.get(shard));
            if (!word.equals("filled")) {
                throw overtaken();
            }
        }
    }

    private static RuntimeException overtaken() {
        return new ProblemException(
                Problem.of(Word.UNAVAILABLE, "Somebody else has rebuilt this sale."));
    }

    private static void count(Counted item, KnownOrder order, long units) {
        if (item == null || order.isSettled()) {
            return;
        }
        if (order.isEnded()) {
            item.credited += units;
        } else if (order.status().equals("rejected")) {
            item.rejected += units;
        } else {
            item.held += units;
        }
    }

    private void tombstones(Work work, List<String> userKeys) {
        for (int i = 0; i < userKeys.size(); i += PART) {
            List<List<String>> args = new ArrayList<>();
            work.shards.partitions().forEach(shard -> args.add(new ArrayList<>()));
            userKeys.subList(i, Math.min(userKeys.size(), i + PART)).forEach(userKey -> {
                String[] words = userKey.split(" ");
                args.get(work.shards.home(words[0]))
                        .addAll(List.of(words[0], "t " + words[1], words[1]));
            });
            fillPart(work, args);
        }
    }

    private void release(Connection connection, Work work) throws SQLException {
        // Rejected orders keep their units as long as there is room for that.
        boolean room = work.known.items().stream().allMatch(item ->
                work.sum(item.sku(), counted -> counted.held + counted.rejected) <= item.total());
        if (!room) {
            Settlement.settleAll(connection, work.sale);
        }
        // Transfers that began before this must not bring anything now.
        String generation = Long.toString(System.currentTimeMillis());
        for (int shard = 0; shard < work.shards.count(); shard++) {
            release(work, shard, room, generation);
        }
        keys.ensure(work.sale, work.shards).join();
    }

    private void release(Work work, int shard, boolean room, String generation) {
        Partition partition = work.shards.get(shard);
        List<String> args = new ArrayList<>(List.of(work.sale,
                Long.toString(work.known.preparedAtMs()),
                Long.toString(work.known.seq().get(partition.index())), shard == 0 ? "1" : "0"));
        conf(work.known).forEach((field, value) -> args.addAll(List.of("conf", field, value)));
        args.addAll(List.of("conf", "generation", generation));
        work.known.items().forEach(item -> {
            Counted counted = work.counted.get(shard).get(item.sku());
            long ordered = counted.held + (room ? counted.rejected : 0);
            long free = Math.max(0, item.total() - work.sum(item.sku(),
                    each -> each.held + (room ? each.rejected : 0)));
            put(args, item.sku() + ":total",
                    ordered + Preparation.share(free, shard, work.shards.count()));
            put(args, item.sku() + ":ordered", ordered);
            put(args, item.sku() + ":limit", item.limit());
            put(args, item.sku() + ":version", item.version());
            put(args, item.sku() + ":credited", counted.credited);
            if (shard == 0 && work.shards.isSplit()) {
                put(args, item.sku() + ":whole", item.total());
            }
        });
        String word = redis.script(BookScripts.RELEASE,
                partition.keys().sale(work.sale, "conf", "stock").named("sales").sequence(),
                args).join().text();
        if (!word.equals("released")) {
            throw overtaken();
        }
    }

    private static void put(List<String> args, String field, long value) {
        args.addAll(List.of("stock", field, Long.toString(value)));
    }

    private Map<String, String> conf(RebuiltSale known) {
        SaleDefinition definition = json.read(
                known.definition().getBytes(StandardCharsets.UTF_8), SaleDefinition.class);
        Map<String, String> conf = new LinkedHashMap<>();
        conf.put("definition", known.definition());
        conf.put("opens_at", Long.toString(definition.opensAt()));
        conf.put("closes_at", Long.toString(definition.closesAt()));
        conf.put("paused", known.paused() ? "1" : "0");
        conf.put("closed_at", Long.toString(known.closedAtMs()));
        conf.put("guard", definition.duplicateGuard().text());
        conf.put("guard_window", Long.toString(definition.duplicateGuardWindow()));
        conf.put("payment_window", Long.toString(definition.paymentWindow()));
        conf.put("returns_limit", definition.returnRestoresLimit() ? "1" : "0");
        conf.put("orders_per_user", Long.toString(definition.ordersPerUser()));
        conf.put("unpaid_holds", Long.toString(definition.unpaidHolds()));
        conf.put("created_at", Long.toString(known.preparedAtMs()));
        // Another number than before the loss, whatever that was.
        conf.put("changes", Long.toString(System.currentTimeMillis()));
        return conf;
    }

    private String call(Script script, Keys keys, List<String> args) {
        return redis.script(script, keys, args).join().text();
    }
}
