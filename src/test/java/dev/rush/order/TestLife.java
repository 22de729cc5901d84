package dev.rush.order;

import dev.rush.ledger.Order;
import dev.rush.ledger.OwedCredit;
import dev.rush.ledger.TestJournal;
import dev.rush.redis.Partitions;
import dev.rush.redis.Script;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.ScriptedRedis;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.redis.client.RedisClientType;
import jakarta.enterprise.event.Event;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** A journal, a scripted Redis, and the services that change orders in both. */
final class TestLife implements AutoCloseable {
    static final Partitions PARTITIONS = new Partitions(8);
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final long REPLY_MS = 30_000;

    final TestJournal journal = new TestJournal(Environments.ledger().freshDatabase());
    final ScriptedRedis redis = ScriptedRedis.start();
    final Gate gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()), Map.of(),
            loss -> { });
    /** Redis's word for an order or a key; "credited" for other orders. */
    final Map<String, String> words = new ConcurrentHashMap<>();
    /** The reply to restoring an order; "restored -" for other orders. */
    final Map<String, String> restoring = new ConcurrentHashMap<>();
    /** The buyer's record, and the first number whose order may wait in the stream. */
    volatile String record = "";
    volatile long waitingFrom;
    /** The reply to recording a step: how many are kept, or −1 in a former epoch. */
    volatile long kept = 1;
    /** How far Redis's clock is ahead of this machine's. */
    volatile long aheadMs;
    /** Whether Redis fails to record steps. */
    volatile boolean unrecorded;
    /** Hash tags of partitions that fail. */
    final Set<String> failing = ConcurrentHashMap.newKeySet();
    /** Calls so far, as the names of scripts and their arguments. */
    final List<List<String>> calls = new CopyOnWriteArrayList<>();
    final Set<Integer> refused = new HashSet<>();
    /** Whether recording retried steps throws at once, instead of failing later. */
    volatile boolean broken;
    private final ReportedSteps evidence = new ReportedSteps(gate.commands, PARTITIONS) {

        @Override
        CompletableFuture<Boolean> recordRetried(List<OwedCredit> ended) {
            if (broken) {
                throw new IllegalStateException("broken");
            }
            return super.recordRetried(ended);
        }

        @Override
        long timeoutMs(boolean required) {
            return REPLY_MS;
        }
    };
    final Credits credits = new Credits(journal.ledger, gate.commands, PARTITIONS, evidence,
            () -> refused, event(), journal.config);
    final BuyerRecords records = new BuyerRecords(gate.commands, journal.config);
    final ReturnLookups lookups = new ReturnLookups(gate.commands, journal.known, records);
    final Returns returns =
            new Returns(journal.known, journal.ledger, lookups, credits, evidence);
    final ParkedReturns parked = new ParkedReturns(journal.known, journal.ledger, lookups,
            returns, journal.config, new SimpleMeterRegistry());
    final Confirmations confirmations = new Confirmations(journal.known, journal.ledger,
            lookups, evidence, journal.config);
    final Statuses statuses = new Statuses(journal.known, journal.ledger);

    TestLife() {
        redis.answer(this::answer);
        redis.introduce(words -> words.get(0).equals("TIME") ? ScriptedRedis.list(List.of(
                ScriptedRedis.text(Long.toString((System.currentTimeMillis() + aheadMs) / 1000)),
                ScriptedRedis.text("0"))) : redis.introduction(words));
    }

    @SuppressWarnings("unchecked")
    private static Event<StockReturned> event() {
        return (Event<StockReturned>) Proxy.newProxyInstance(Event.class.getClassLoader(),
                new Class<?>[] {Event.class}, (self, method, arguments) -> null);
    }

    private String answer(List<String> words) {
        if (!words.get(0).equals("EVALSHA")) {
            // XRANGE: nothing is left in the stream.
            return ScriptedRedis.list(List.of());
        }
        int keys = Integer.parseInt(words.get(2));
        String key = words.get(3);
        List<String> args = words.subList(3 + keys, words.size());
        Script script = List.of(OrderScripts.CREDIT, OrderScripts.RESTORE, OrderScripts.REPORT,
                OrderScripts.TOMBSTONE, Script.load("order/record")).stream()
                .filter(known -> known.sha1().equals(words.get(1))).findFirst().orElseThrow();
        List<String> call = new ArrayList<>(List.of(script.name()));
        call.addAll(args);
        long keptNow = kept;
        calls.add(call);
        if (failing.contains(key.substring(key.indexOf('{') + 1, key.indexOf('}')))) {
            return ScriptedRedis.error("LAYOUT 96");
        }
        return switch (script.name()) {
            case "order/credit" -> each(args, 3, 1, this.words, "credited");
            case "order/restore" -> each(args, 6, 1, restoring, "restored -");
            case "order/report" -> unrecorded ? ScriptedRedis.error("MISCONF disk")
                    : ScriptedRedis.number(keptNow);
            case "order/tombstone" -> ScriptedRedis.text(
                    this.words.getOrDefault(args.get(1), "order-returned 0-0"));
            default -> ScriptedRedis.list(List.of(ScriptedRedis.number(1),
                    ScriptedRedis.number(waitingFrom), ScriptedRedis.text(record)));
        };
    }

    private static String each(List<String> args, int stride, int place,
            Map<String, String> answers, String otherwise) {
        List<String> replies = new ArrayList<>();
        for (int first = 0; first < args.size(); first += stride) {
            replies.add(ScriptedRedis.text(
                    answers.getOrDefault(args.get(first + place), otherwise)));
        }
        return ScriptedRedis.list(replies);
    }

    /** The calls of one script so far, the arguments of each as one text. */
    List<String> calls(Script script) {
        return calls.stream().filter(call -> call.get(0).equals(script.name()))
                .map(call -> String.join(" ", call.subList(1, call.size())))
                .collect(Collectors.toList());
    }

    /** Whether Redis was asked to credit the units of an order. */
    boolean isCredited(UUID order) {
        return calls(OrderScripts.CREDIT).stream().anyMatch(call -> call.contains("" + order));
    }

    /** A loaded sale whose orders are all in one partition. */
    String sale(int partition) {
        String sale = journal.sale("a:99:0");
        journal.sql("UPDATE sales SET partitions = '{" + partition + "}' WHERE sale = '" + sale
                + "'");
        return sale;
    }

    /** An order of one unit, stored in the sale's partition. */
    UUID order(String sale, String key, long payBy) {
        UUID id = journal.order(sale, "u", key, "a:1", payBy);
        String partition = "(SELECT partitions[1] FROM sales WHERE sale = '" + sale + "')";
        for (String table : List.of("orders", "reservations", "sums")) {
            journal.sql("UPDATE " + table + " SET partition = " + partition + " WHERE sale = '"
                    + sale + "'");
        }
        return id;
    }

    Order find(String sale, UUID id) {
        return journal.find(sale, id);
    }

    /** All steps of an order: number, kind, actor and cause. */
    String steps(UUID id) {
        return journal.sql("SELECT string_agg(concat_ws(' ', step, kind, actor, cause), ', '"
                + " ORDER BY step) FROM steps WHERE order_id = '" + id + "'");
    }

    String count(String table) {
        return journal.sql("SELECT count(*) FROM " + table);
    }

    void awaitSteps(UUID id, String steps) {
        Await.until(id + " is " + steps, SOON, () -> steps.equals(steps(id)),
                () -> steps(id) + " " + calls);
    }

    /** Removes everything that the last test left. */
    void clear() {
        List.of("reservations", "credits", "returns")
                .forEach(table -> journal.sql("DELETE FROM " + table));
        journal.sql("UPDATE partitions SET behind_since = NULL");
        List.of(words, restoring).forEach(Map::clear);
        failing.clear();
        refused.clear();
        calls.clear();
        record = "";
        kept = 1;
        unrecorded = false;
        broken = false;
        aheadMs = 0;
    }

    @Override
    public void close() throws Exception {
        gate.close();
        redis.close();
        journal.close();
    }
}
