package dev.rush.nemesis.checker;

import dev.rush.nemesis.checker.Stored.Order;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * I5: an order has one owner. I6: an answered order is stored, or counted as lost. I8: a refused
 * call did not happen, and every stored order was requested. I9: no units are taken after the
 * deadline; this is not checked for orders without a client's key, nor while a clock was shifted.
 */
final class OrderCheck implements Check {
    /** The pods' {@code rush.deadline}, as {@code Topology} sets it. */
    private static final long DEADLINE_MS = 3_000;
    /** Redis's clock, in whole ms, may differ from the clients' by this much. */
    private static final long CLOCK_SKEW_MS = 300;
    /** A pod estimates Redis's clock from replies of this period ({@code RedisClock}). */
    private static final long CLOCK_WINDOW_NANOS = 10_000_000_000L;

    @Override
    public void check(Evidence evidence, Findings findings) {
        checkIds(evidence, findings);
        checkLost(evidence, findings);
        checkUnrequested(evidence, findings);
        Map<String, Order> byKey = new HashMap<>();
        evidence.stored().orders.values().forEach(order -> byKey.put(
                Evidence.key(order.sale(), order.user(), order.key()), order));
        evidence.byKey().forEach((key, tries) -> {
            Order order = byKey.get(key);
            if (order != null) {
                checkOutcomes(order, tries, findings);
                checkDeadline(evidence, order, tries, findings);
            }
        });
        evidence.operations().stream()
                .filter(operation -> operation.outcome() == Outcome.FAILED)
                .forEach(failed -> findings.add(
                        "I8: a call was answered with 500", failed.from(), 1, failed));
    }

    private static void checkIds(Evidence evidence, Findings findings) {
        evidence.operations().stream()
                .filter(operation -> operation.order() != null && operation.accepted())
                .forEach(answer -> {
                    Operation first = evidence.firstAnswers().get(answer.order());
                    if (first != null && (first.user() != answer.user()
                            || !first.offer().equals(answer.offer()))) {
                        findings.add("I5: an order has two owners", answer.from(), 1,
                                first + " | " + answer);
                    }
                });
        evidence.firstAnswers().forEach((id, answer) -> {
            Order order = evidence.stored().orders.get(id);
            if (order != null && (!order.user().equals(answer.userName())
                    || !order.sale().equals(answer.offer().id()))) {
                findings.add("I5: the ledger has an order under another owner", answer.from(), 1,
                        answer + " | " + order);
            }
        });
    }

    private static void checkLost(Evidence evidence, Findings findings) {
        Map<Integer, Long> missing = new TreeMap<>();
        Map<Integer, Operation> latest = new HashMap<>();
        evidence.firstAnswers().forEach((id, answer) -> {
            if (!evidence.stored().knows(id)) {
                int partition = evidence.partition(answer);
                missing.merge(partition, 1L, Long::sum);
                latest.merge(partition, answer,
                        (one, other) -> one.from() > other.from() ? one : other);
                if (!evidence.mayHaveLost(answer, answer.from(), Long.MAX_VALUE)) {
                    findings.add("I6: an answered order is missing although Redis lost nothing",
                            answer.from(), 1, answer);
                }
            }
        });
        missing.forEach((partition, count) -> {
            long lost = evidence.stored().lost.getOrDefault(partition, 0L);
            if (count > lost) {
                findings.add("I6: missing orders are not counted as lost",
                        latest.get(partition).from(), count - lost, "partition " + partition
                        + ": " + count + " missing, " + lost + " counted, the last "
                        + latest.get(partition));
            }
        });
        if (evidence.faults().none()) {
            evidence.stored().lost.forEach((partition, count) -> findings.add(
                    "I16: orders are counted as lost without a fault", 0, count,
                    "partition " + partition + ": " + count));
        }
    }

    /**
     * An order or grab that no answer named must come from a call of unknown outcome, so a user has
     * no more such orders than such calls. This covers calls without a key, too. A rejected one
     * does not count if its call was answered with the first one under its key.
     */
    private static void checkUnrequested(Evidence evidence, Findings findings) {
        Map<String, Long> unknown = evidence.operations().stream()
                .filter(operation -> operation.kind().takes())
                .filter(operation -> operation.mayHaveHappened() && !operation.accepted())
                .collect(Collectors.groupingBy(
                        operation -> owner(operation.offer().id(), operation.userName()),
                        Collectors.counting()));
        Map<String, List<UUID>> unnamed = new TreeMap<>();
        evidence.stored().orders.values().stream()
                .filter(order -> !isAnsweredAsFirst(evidence, order.status(),
                        Evidence.key(order.sale(), order.user(), order.key())))
                .forEach(order -> addIfUnnamed(
                        unnamed, evidence, owner(order.sale(), order.user()), order.id()));
        evidence.stored().grabs.values().stream()
                .filter(grab -> !isAnsweredAsFirst(evidence, grab.status(),
                        Evidence.key(grab.rain(), grab.user(), grab.key())))
                .forEach(grab -> addIfUnnamed(
                        unnamed, evidence, owner(grab.rain(), grab.user()), grab.id()));
        unnamed.forEach((owner, ids) -> {
            long max = unknown.getOrDefault(owner, 0L);
            if (ids.size() > max) {
                findings.add("I8: the ledger has more orders than were requested", 0,
                        ids.size() - max,
                        owner + ": " + ids + " but " + max + " calls of unknown outcome");
            }
        });
    }

    private static void addIfUnnamed(
            Map<String, List<UUID>> unnamed, Evidence evidence, String owner, UUID id) {
        if (!evidence.firstAnswers().containsKey(id)) {
            unnamed.computeIfAbsent(owner, missing -> new ArrayList<>()).add(id);
        }
    }

    /**
     * Returns whether the ledger may have rejected an order or grab because Redis had lost the
     * first one under its key. A caller that waits for the ledger is then answered with the first
     * one.
     */
    private static boolean isAnsweredAsFirst(Evidence evidence, String status, String key) {
        return status.equals("rejected") && evidence.byKey().getOrDefault(key, List.of())
                .stream().anyMatch(answer ->
                        (answer.replayed() || answer.word().equals("key-reused"))
                        && evidence.mayHaveLost(answer, 0, answer.to()));
    }

    private static String owner(String offer, String user) {
        return offer + " " + user;
    }

    private static void checkOutcomes(Order order, List<Operation> tries, Findings findings) {
        if (tries.stream().noneMatch(Operation::mayHaveHappened)) {
            findings.add("I8: a refused purchase was stored", tries.get(0).from(), 1,
                    order + " | " + tries);
        }
    }

    private static void checkDeadline(Evidence evidence, Order order, List<Operation> tries,
            Findings findings) {
        long last = tries.stream().mapToLong(Operation::to).max().orElseThrow();
        long late = order.placedAtMs() - evidence.wallMs(last) - DEADLINE_MS - CLOCK_SKEW_MS;
        long first = tries.stream().mapToLong(Operation::from).min().orElseThrow();
        boolean excused = evidence.faults().anyWith(Effect.SHIFTS_CLOCK, first - CLOCK_WINDOW_NANOS,
                evidence.runNanos(order.placedAtMs()));
        if (late > 0 && !excused) {
            findings.add("I9: units were taken after the deadline", last, late,
                    late + " ms late: " + order + " | " + tries);
        }
    }
}
