package dev.rush.books;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.order.Ledger;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisCommands;
import dev.rush.redis.Script;
import dev.rush.sale.SaleDefinition;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Rebuilds a sale that Redis lost from what the ledger knows of it: terms, stock, what each user
 * took, and every key with its first answer. What is left of the sale is closed first; then orders
 * that still lie in the stream have to reach the ledger; then the writers of the partition are
 * fenced until the stock is released.
 */
@Singleton
class Rebuild {

    private static final int PART = 500;

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final Requeue requeue;
    private final Json json;
    private final long drainMs;

    @Inject
    Rebuild(Ledger ledger, RedisCommands redis, Partitions partitions, Requeue requeue, Json json,
            RushConfig config) {
        this.ledger = ledger;
        this.redis = redis;
        this.partitions = partitions;
        this.requeue = requeue;
        this.json = json;
        this.drainMs = config.books().drain().toMillis();
    }

    /** Units of one item as they are counted while rebuilding. */
    private static final class Counted {
        private long held;
        private long rejected;
        private long credited;
    }

    /**
     * Rebuilds the sale and returns how many orders it has.
     *
     * @throws dev.rush.http.ProblemException {@code unavailable} if the stream does not drain
     */
    long rebuild(String sale) {
        Partition partition = partitions.of(sale);
        String state = call(BookScripts.CLEAR, sale, List.of("conf", "stock", "buyers", "keys"),
                List.of());
        if (!state.equals("cleared")) {
            return 0;
        }
        if (!requeue.awaitDrained(partition, sale, drainMs)) {
            throw stillWaiting();
        }
        return ledger.transact(connection -> {
            fence(connection, partition);
            if (!requeue.awaitDrained(partition, sale, 0)) {
                throw stillWaiting();
            }
            // Whatever an earlier rebuild that was cut off has put there.
            call(BookScripts.CLEAR, sale, List.of("conf", "stock", "buyers", "keys"), List.of());
            return fill(connection, sale, RebuiltSale.read(connection, sale));
        });
    }

    private static RuntimeException stillWaiting() {
        return Problem.of(Word.UNAVAILABLE, "Orders of this sale still wait for the ledger; "
                + "try again when they are stored.").exception();
    }

    /** A writer commits under the token of its partition's row, which this transaction holds. */
    private static void fence(Connection connection, Partition partition) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE leases SET token = token + 1 WHERE partition = ?")) {
            update.setInt(1, partition.index());
            update.executeUpdate();
        }
    }

    private long fill(Connection connection, String sale, RebuiltSale known)
            throws SQLException {
        Map<String, Counted> items = new HashMap<>();
        known.items().forEach(item -> items.put(item.sku(), new Counted()));
        long orders = 0;
        UUID after = KnownOrder.FIRST;
        // A key belongs to a rejected order only where no other has it, so those come last.
        List<KnownOrder> last = new ArrayList<>(KnownOrder.dead(connection, sale));
        List<KnownOrder> part;
        do {
            part = KnownOrder.read(connection, sale, -1, after, PART);
            after = part.isEmpty() ? after : part.get(part.size() - 1).order();
            List<KnownOrder> first = new ArrayList<>(part);
            first.removeIf(order -> order.status().equals("rejected") && last.add(order));
            put(sale, known, items, first);
            orders += first.size();
        } while (part.size() == PART);
        for (int i = 0; i < last.size(); i += PART) {
            put(sale, known, items, last.subList(i, Math.min(last.size(), i + PART)));
        }
        tombstones(sale, known.refusedKeys());
        release(connection, sale, known, items);
        return orders + last.size();
    }

    private void put(String sale, RebuiltSale known, Map<String, Counted> items,
            List<KnownOrder> orders) {
        List<String> args = new ArrayList<>();
        for (KnownOrder order : orders) {
            boolean holds = !order.status().equals("rejected")
                    && (!order.isEnded() || !known.returnsLimit());
            List<String> held = new ArrayList<>();
            Quantities.of(order.lines()).forEach((sku, units) -> {
                count(items.get(sku), order, units);
                if (holds && known.limit(sku) > 0) {
                    held.add(sku + ":" + units);
                }
            });
            args.add(order.user() + " " + order.key());
            args.add(order.entry(order.state()));
            args.add(String.join(",", held));
        }
        fillPart(sale, args);
    }

    private void fillPart(String sale, List<String> args) {
        String word = args.isEmpty() ? "filled"
                : call(BookScripts.FILL, sale, List.of("stock", "buyers", "keys"), args);
        if (!word.equals("filled")) {
            throw Problem.of(Word.UNAVAILABLE, "Somebody else has rebuilt this sale.").exception();
        }
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

    private void tombstones(String sale, List<String> userKeys) {
        for (int i = 0; i < userKeys.size(); i += PART) {
            List<String> args = new ArrayList<>();
            userKeys.subList(i, Math.min(userKeys.size(), i + PART))
                    .forEach(userKey -> args.addAll(List.of(userKey, "t", "")));
            fillPart(sale, args);
        }
    }

    private void release(Connection connection, String sale, RebuiltSale known,
            Map<String, Counted> items) throws SQLException {
        // Rejected orders keep their units as long as there is room for that.
        boolean room = known.items().stream().allMatch(item -> {
            Counted counted = items.get(item.sku());
            return counted.held + counted.rejected <= item.total();
        });
        if (!room) {
            Settlement.settleAll(connection, sale);
        }
        List<String> args = new ArrayList<>(List.of(sale, Long.toString(known.preparedAtMs()),
                Long.toString(known.seq())));
        conf(known).forEach((field, value) -> args.addAll(List.of("conf", field, value)));
        known.items().forEach(item -> {
            Counted counted = items.get(item.sku());
            long ordered = counted.held + (room ? counted.rejected : 0);
            put(args, item.sku() + ":total", Math.max(item.total(), ordered));
            put(args, item.sku() + ":ordered", ordered);
            put(args, item.sku() + ":limit", item.limit());
            put(args, item.sku() + ":version", item.version());
            put(args, item.sku() + ":credited", counted.credited);
        });
        Partition partition = partitions.of(sale);
        String word = redis.script(BookScripts.RELEASE, partition,
                List.of(BookScripts.sale(partition, sale, "conf"),
                        BookScripts.sale(partition, sale, "stock"), partition.key("sales"),
                        partition.sequence()), args).join().text();
        if (!word.equals("released")) {
            throw Problem.of(Word.UNAVAILABLE, "Somebody else has rebuilt this sale.").exception();
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
        conf.put("created_at", Long.toString(known.preparedAtMs()));
        // Another number than before the loss, whatever that was.
        conf.put("changes", Long.toString(System.currentTimeMillis()));
        return conf;
    }

    private String call(Script script, String sale, List<String> parts, List<String> args) {
        Partition partition = partitions.of(sale);
        return redis.script(script, partition,
                parts.stream().map(part -> BookScripts.sale(partition, sale, part)).toList(), args)
                .join().text();
    }
}
