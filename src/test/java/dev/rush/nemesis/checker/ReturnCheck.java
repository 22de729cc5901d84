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
 * I10: no order ends unless somebody returned it or its time was up. I11: what is returned stays
 * returned, and takes no units afterwards. I12: an order is confirmed or expired, never both.
 */
final class ReturnCheck implements Check {
    private static final String PARKED = "parked";
    /** How long restoring what PostgreSQL lost may take on a busy machine. */
    private static final long RESTORING_NANOS = 300_000_000_000L;

    @Override
    public void judge(Evidence evidence, Findings findings) {
        Set<UUID> askedById = new HashSet<>();
        Set<String> askedByKey = new HashSet<>();
        Map<String, Operation> doneByKey = new HashMap<>();
        Map<UUID, Operation> doneById = new HashMap<>();
        for (Operation one : evidence.operations()) {
            if (one.kind() == Kind.RETURN && one.mayHaveHappened()) {
                if (one.order() == null) {
                    askedByKey.add(Evidence.key(one));
                    note(doneByKey, Evidence.key(one), one);
                } else {
                    askedById.add(one.order());
                    note(doneById, one.order(), one);
                }
            } else if (one.kind() == Kind.CONFIRM) {
                judgeConfirmation(evidence, one, findings);
            }
        }
        for (Order order : evidence.stored().orders.values()) {
            // Whoever sent no key was told the order's id as one, after an unknown outcome.
            String key = Evidence.key(order.sale(), order.user(),
                    order.key() == null ? order.id().toString() : order.key());
            if (order.status().equals("returned") && !askedById.contains(order.id())
                    && !askedByKey.contains(key)) {
                findings.add("I10: an order is returned that nobody returned", 0, 1, order);
            }
            if (order.status().equals("expired") && order.payByMs() == 0) {
                findings.add("I10: an order has expired that had no time to be paid in", 0, 1,
                        order);
            }
            Operation done = doneById.getOrDefault(order.id(), doneByKey.get(key));
            if (done != null && order.sold() && !isParkingLost(evidence, done)
                    && !evidence.mayHaveLost(done, 0, Long.MAX_VALUE)) {
                findings.add("I11: a returned order is sold in the end", done.from(), 1,
                        done + " | " + order);
            }
        }
        evidence.byKey().forEach((key, tries) -> judgeReturnedFirst(
                evidence, doneByKey.get(key), tries, findings));
    }

    /** Only the ledger has what is parked. */
    private static boolean isParkingLost(Evidence evidence, Operation done) {
        return isParked(done) && evidence.faults().lostCommits(done.from());
    }

    private static boolean isParked(Operation one) {
        return PARKED.equals(one.word());
    }

    /** The first that was done, or else parked. */
    private static <K> void note(Map<K, Operation> done, K what, Operation one) {
        if (one.outcome() == Outcome.OK) {
            done.merge(what, one, (first, other) -> isParked(first) == isParked(other)
                    ? first.to() <= other.to() ? first : other
                    : isParked(first) ? other : first);
        }
    }

    private static void judgeReturnedFirst(Evidence evidence, Operation done,
            List<Operation> tries, Findings findings) {
        if (done == null || tries.stream().anyMatch(
                one -> one.mayHaveHappened() && one.from() <= done.to())) {
            return;
        }
        tries.stream().filter(Operation::accepted)
                .filter(one -> !evidence.mayHaveLost(one, done.from(), one.to()))
                .filter(one -> !endedLater(evidence, done, one))
                .forEach(one -> findings.add("I11: a purchase was accepted under a returned key",
                        one.from(), 1, done + " | " + one));
    }

    /**
     * Where Redis could not be told of the return, docs/guarantees.md promises only the end: the
     * order is not sold. One with a payment window may have expired before it could be returned,
     * and any may have been lost later.
     */
    private static boolean endedLater(Evidence evidence, Operation done, Operation purchase) {
        Order order = evidence.stored().orders.get(purchase.order());
        return evidence.faults().anyIn(done.from(), done.to())
                && (order == null
                        ? evidence.mayHaveLost(purchase, purchase.from(), Long.MAX_VALUE)
                        : !order.sold());
    }

    /** PostgreSQL lost it, and Redis the record of it before it was restored. */
    private static boolean isEvidenceLost(Evidence evidence, Operation one) {
        return evidence.faults().promotions(one.from()).anyMatch(promotion ->
                evidence.mayHaveLost(one, promotion.from(), promotion.to() + RESTORING_NANOS));
    }

    private static void judgeConfirmation(Evidence evidence, Operation one, Findings findings) {
        Order order = evidence.stored().orders.get(one.order());
        String status = order == null ? "gone" : order.status();
        boolean wrong = switch (one.outcome()) {
            case OK -> !status.equals("confirmed") && !status.equals("returned");
            case REFUSED -> one.word().equals("order-expired") && !status.equals("expired")
                    || one.word().equals("order-returned") && !status.equals("returned");
            default -> false;
        };
        if (wrong && !isEvidenceLost(evidence, one)) {
            findings.add("I12: the end of an order is not what its confirmation was told",
                    one.from(), 1, one + " | " + (order == null ? "gone" : order));
        }
    }
}
