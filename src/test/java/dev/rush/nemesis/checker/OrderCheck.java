package dev.rush.nemesis.checker;

import dev.rush.nemesis.checker.Stored.Order;
import dev.rush.nemesis.client.Kind;
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
 * I5: an order has one owner. I6: an answered order is stored, or counted as lost. I8: what was
 * refused did not happen, and every stored order was asked for. I9: nothing is taken after the
 * deadline; orders without a key of the client are not judged by this, nor are those that a shifted
 * clock may have dated.
 */
final class OrderCheck implements Check {
    /** {@code rush.deadline} of the pods, as {@code Topology} sets it. */
    private static final long DEADLINE_MS = 3_000;
    /** Redis's clock is read in another process than the clients', and only to the millisecond. */
    private static final long CLOCKS_MS = 300;

    /** A pod's estimate of Redis's clock rests on replies of so much time ({@code RedisClock}). */
    private static final long CLOCK_MEMORY_NANOS = 10_000_000_000L;

    @Override
    public void judge(Evidence evidence, Findings findings) {
        judgeIds(evidence, findings);
        judgeLost(evidence, findings);
        judgeUnasked(evidence, findings);
        Map<String, Order> byKey = new HashMap<>();
        evidence.stored().orders.values().forEach(order -> byKey.put(
                Evidence.key(order.sale(), order.user(), order.key()), order));
        evidence.byKey().forEach((key, tries) -> {
            Order order = byKey.get(key);
            if (order != null) {
                judgeOutcomes(order, tries, findings);
                judgeDeadline(evidence, order, tries, findings);
            }
        });
        evidence.operations().stream().filter(one -> one.outcome() == Outcome.FAILED).forEach(
                one -> findings.add("I8: 500", one.from(), 1, one));
    }

    private static void judgeIds(Evidence evidence, Findings findings) {
        evidence.operations().stream()
                .filter(one -> one.order() != null && one.accepted())
                .forEach(one -> {
                    Operation first = evidence.firstAnswers().get(one.order());
                    if (first != null && (first.user() != one.user()
                            || !first.offer().equals(one.offer()))) {
                        findings.add("I5: an order has two owners", one.from(), 1,
                                first + " | " + one);
                    }
                });
        evidence.firstAnswers().forEach((id, answer) -> {
            Order order = evidence.stored().orders.get(id);
            if (order != null && (!order.user().equals(answer.userName())
                    || !order.sale().equals(answer.offer().id()))) {
                findings.add("I5: the ledger has an order of another owner", answer.from(), 1,
                        answer + " | " + order);
            }
        });
    }

    private static void judgeLost(Evidence evidence, Findings findings) {
        Map<Integer, Long> missing = new TreeMap<>();
        Map<Integer, Operation> latest = new HashMap<>();
        evidence.firstAnswers().forEach((id, answer) -> {
            if (!evidence.stored().knows(id)) {
                int partition = evidence.partition(answer);
                missing.merge(partition, 1L, Long::sum);
                latest.merge(partition, answer,
                        (one, other) -> one.from() > other.from() ? one : other);
                if (!evidence.mayHaveLost(answer, answer.from(), Long.MAX_VALUE)) {
                    findings.add("I6: an answered order is gone though Redis lost nothing",
                            answer.from(), 1, answer);
                }
            }
        });
        missing.forEach((partition, count) -> {
            long lost = evidence.stored().lost.getOrDefault(partition, 0L);
            if (count > lost) {
                findings.add("I6: answered orders are gone and not counted as lost",
                        latest.get(partition).from(), count - lost, "partition " + partition
                        + ": " + count + " gone, " + lost + " counted, the last "
                        + latest.get(partition));
            }
        });
        if (evidence.faults().none()) {
            evidence.stored().lost.forEach((partition, count) -> findings.add(
                    "I16: orders are counted as lost though there was no fault", 0, count,
                    "partition " + partition + ": " + count));
        }
    }

    /**
     * An order or grab that no answer named comes from a call of unknown outcome, so a user has no
     * more of the first than of the second. This covers calls without a key, too. Rejected orders
     * whose call was answered with the first order of its key are not counted.
     */
    private static void judgeUnasked(Evidence evidence, Findings findings) {
        Map<String, Long> unknown = evidence.operations().stream()
                .filter(one -> one.kind() == Kind.PURCHASE || one.kind() == Kind.GRAB)
                .filter(one -> one.mayHaveHappened() && !one.accepted())
                .collect(Collectors.groupingBy(
                        one -> owner(one.offer().id(), one.userName()), Collectors.counting()));
        Map<String, List<UUID>> unnamed = new TreeMap<>();
        evidence.stored().orders.values().stream()
                .filter(order -> !isAnsweredAsFirst(evidence, order))
                .forEach(order -> note(
                        unnamed, evidence, owner(order.sale(), order.user()), order.id()));
        evidence.stored().grabs.values().forEach(grab -> note(
                unnamed, evidence, owner(grab.rain(), grab.user()), grab.id()));
        unnamed.forEach((owner, ids) -> {
            long max = unknown.getOrDefault(owner, 0L);
            if (ids.size() > max) {
                findings.add("I8: the ledger has more than was asked for", 0, ids.size() - max,
                        owner + ": " + ids + " but " + max + " calls of unknown outcome");
            }
        });
    }

    private static void note(
            Map<String, List<UUID>> unnamed, Evidence evidence, String owner, UUID id) {
        if (!evidence.firstAnswers().containsKey(id)) {
            unnamed.computeIfAbsent(owner, none -> new ArrayList<>()).add(id);
        }
    }

    /**
     * Whether the ledger rejected an order because Redis had lost the first one under its key; a
     * caller that waits for the ledger is then answered as for the first one.
     */
    private static boolean isAnsweredAsFirst(Evidence evidence, Order order) {
        return order.status().equals("rejected") && evidence.byKey()
                .getOrDefault(Evidence.key(order.sale(), order.user(), order.key()), List.of())
                .stream().anyMatch(one -> (one.replayed() || one.word().equals("key-reused"))
                        && evidence.mayHaveLost(one, 0, one.to()));
    }

    private static String owner(String offer, String user) {
        return offer + " " + user;
    }

    private static void judgeOutcomes(Order order, List<Operation> tries, Findings findings) {
        if (tries.stream().noneMatch(Operation::mayHaveHappened)) {
            findings.add("I8: what was refused has happened", tries.get(0).from(), 1,
                    order + " | " + tries);
        }
    }

    private static void judgeDeadline(Evidence evidence, Order order, List<Operation> tries,
            Findings findings) {
        long last = tries.stream().mapToLong(Operation::to).max().orElseThrow();
        long late = order.placedAtMs() - evidence.wallMs(last) - DEADLINE_MS - CLOCKS_MS;
        long first = tries.stream().mapToLong(Operation::from).min().orElseThrow();
        boolean excused = evidence.faults().had(Effect.SHIFTS_CLOCK, first - CLOCK_MEMORY_NANOS,
                evidence.runNanos(order.placedAtMs()));
        if (late > 0 && !excused) {
            findings.add("I9: units were taken after the deadline", last, late,
                    late + " ms late: " + order + " | " + tries);
        }
    }
}
