package dev.rush.nemesis.checker;

import dev.rush.nemesis.checker.Stored.Order;
import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * I10: an order ends only by a return or by the end of its payment window. I11: a returned order
 * stays returned, and a returned key accepts no purchase. I12: an order is either confirmed or
 * expired.
 */
final class ReturnCheck implements Check {
    private static final String PARKED = "parked";
    /** How long restoring the steps that PostgreSQL lost may take on a busy machine. */
    private static final long RESTORING_NANOS = 300_000_000_000L;
    /** How far the standby may lag on a busy machine before its promotion begins. */
    private static final long STANDBY_LAG_NANOS = 5_000_000_000L;

    @Override
    public void check(Evidence evidence, Findings findings) {
        Set<UUID> requestedById = new HashSet<>();
        Set<String> requestedByKey = new HashSet<>();
        Map<String, Operation> doneByKey = new HashMap<>();
        Map<UUID, Operation> doneById = new HashMap<>();
        for (Operation operation : evidence.operations()) {
            if (operation.kind() == Kind.RETURN && operation.mayHaveHappened()) {
                if (operation.order() == null) {
                    requestedByKey.add(Evidence.key(operation));
                    keepBest(doneByKey, Evidence.key(operation), operation);
                } else {
                    requestedById.add(operation.order());
                    keepBest(doneById, operation.order(), operation);
                }
            } else if (operation.kind() == Kind.CONFIRM) {
                checkConfirmation(evidence, operation, findings);
            }
        }
        for (Order order : evidence.stored().orders.values()) {
            // Without a client's key, the order's id is its key.
            String key = Evidence.key(order.sale(), order.user(),
                    order.key() == null ? order.id().toString() : order.key());
            if (order.status().equals("returned") && !requestedById.contains(order.id())
                    && !requestedByKey.contains(key)) {
                findings.add("I10: an order was returned without a request", 0, 1, order);
            }
            if (order.status().equals("expired") && order.payByMs() == 0) {
                findings.add("I10: an order without a payment window expired", 0, 1, order);
            }
            Operation done = doneById.getOrDefault(order.id(), doneByKey.get(key));
            if (done != null && order.sold() && !isParkingLost(evidence, done)
                    && !isUnrecorded(evidence, done)
                    && !evidence.mayHaveLost(done, 0, Long.MAX_VALUE)) {
                findings.add("I11: a returned order is still sold", done.from(), 1,
                        done + " | " + order);
            }
        }
        evidence.byKey().forEach((key, tries) -> checkReturnBeforePurchase(
                evidence, doneByKey.get(key), tries, findings));
    }

    /** Returns whether the ledger may have lost a parked return, which only it stores. */
    private static boolean isParkingLost(Evidence evidence, Operation done) {
        return isParked(done) && evidence.faults().mayHaveLostCommits(done.from());
    }

    private static boolean isParked(Operation operation) {
        return PARKED.equals(operation.word());
    }

    /** Keeps the first return that was done or, if there is none, the first that was parked. */
    private static <K> void keepBest(Map<K, Operation> done, K key, Operation operation) {
        if (operation.outcome() == Outcome.OK) {
            done.merge(key, operation, (first, other) -> isParked(first) == isParked(other)
                    ? first.to() <= other.to() ? first : other
                    : isParked(first) ? other : first);
        }
    }

    private static void checkReturnBeforePurchase(Evidence evidence, Operation done,
            List<Operation> tries, Findings findings) {
        if (done == null || isParked(done) && isUnrecorded(evidence, done)
                || tries.stream().anyMatch(purchase ->
                purchase.mayHaveHappened() && purchase.from() <= done.to())) {
            return;
        }
        tries.stream().filter(Operation::accepted)
                .filter(purchase -> !evidence.mayHaveLost(purchase, done.from(), purchase.to()))
                .filter(purchase -> !endedLater(evidence, done, purchase))
                .forEach(purchase -> findings.add(
                        "I11: a purchase was accepted under a returned key",
                        purchase.from(), 1, done + " | " + purchase));
    }

    /**
     * If a fault kept the return from reaching Redis, docs/guarantees.md promises only that the
     * order is not sold in the end. It may have expired before the return, or have been lost later.
     */
    private static boolean endedLater(Evidence evidence, Operation done, Operation purchase) {
        Order order = evidence.stored().orders.get(purchase.order());
        return evidence.faults().any(done.from(), done.to())
                && (order == null
                        ? evidence.mayHaveLost(purchase, purchase.from(), Long.MAX_VALUE)
                        : !order.sold());
    }

    /** Returns whether PostgreSQL may have lost a step, and Redis its record before the restore. */
    private static boolean isStepLost(Evidence evidence, Operation step) {
        return evidence.faults().promotions(step.from()).anyMatch(promotion ->
                evidence.mayHaveLost(step, promotion.from(), promotion.to() + RESTORING_NANOS));
    }

    /**
     * Returns whether PostgreSQL may have lost both an order and its end, so that only Redis had
     * them, and then Redis too.
     */
    private static boolean isOrderLost(Evidence evidence, Operation refused) {
        return evidence.mayHaveLost(refused, refused.from(), Long.MAX_VALUE)
                && evidence.faults().promotions(placed(evidence, refused.order()))
                        .anyMatch(promotion -> promotion.from() <= refused.to());
    }

    /** Returns the earliest instant at which an order may have been placed. */
    private static long placed(Evidence evidence, UUID order) {
        Operation answer = evidence.firstAnswers().get(order);
        return answer == null ? 0 : answer.key() == null ? answer.from()
                : evidence.byKey().get(Evidence.key(answer)).stream()
                        .mapToLong(Operation::from).min().orElse(answer.from());
    }

    /** Returns whether PostgreSQL may have lost a step that another fault kept from Redis. */
    private static boolean isUnrecorded(Evidence evidence, Operation step) {
        return evidence.faults().promotions(step.from())
                .filter(promotion -> promotion.from() <= step.to() + STANDBY_LAG_NANOS)
                .anyMatch(promotion -> evidence.faults().anyBeside(
                        promotion, step.from(), step.to()));
    }

    private static void checkConfirmation(Evidence evidence, Operation confirmation,
            Findings findings) {
        Order order = evidence.stored().orders.get(confirmation.order());
        String status = order == null ? "missing" : order.status();
        boolean wrong = switch (confirmation.outcome()) {
            case OK -> !status.equals("confirmed") && !status.equals("returned");
            case REFUSED -> confirmation.word().equals("order-expired")
                    && !status.equals("expired")
                    || confirmation.word().equals("order-returned")
                    && !status.equals("returned");
            default -> false;
        };
        // Only under ledger does a confirmation that Redis cannot record fail.
        boolean excused = isStepLost(evidence, confirmation)
                || order == null && confirmation.outcome() == Outcome.REFUSED
                        && isOrderLost(evidence, confirmation)
                || !evidence.durability().equals("ledger") && isUnrecorded(evidence, confirmation);
        if (wrong && !excused) {
            findings.add("I12: an order's final status contradicts its confirmation's answer",
                    confirmation.from(), 1,
                    confirmation + " | " + (order == null ? "missing" : order));
        }
    }
}
