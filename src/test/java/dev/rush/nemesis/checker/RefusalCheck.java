package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Offer.Item;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Every refusal for want of units, or for a limit, was right at some instant between the request
 * and its answer. What may have been ordered by then is counted from all purchases that were
 * accepted or of unknown outcome; what was given back in between is not taken off, so a refusal
 * that came too late after a return is not found.
 */
final class RefusalCheck implements Check {
    private static final long GUARD_SLACK = 500_000_000L;
    /** An order of the clients here takes less than 160 bytes of its buyer's record. */
    private static final int RECORD_ORDERS = 16 * 1024 / 160;

    @Override
    public void judge(Evidence evidence, Findings findings) {
        evidence.byOffer().forEach((offer, operations) -> {
            List<Operation> taking = taking(operations);
            if (offer.isRain()) {
                judgeEmpty(offer, operations, taking, findings);
                return;
            }
            Map<String, NavigableMap<Long, Long>> ordered = new HashMap<>();
            offer.items().forEach(item -> ordered.put(item.sku(),
                    sums(taking, one -> one.cart().of(item.sku()))));
            Map<Integer, List<Operation>> byUser = new HashMap<>();
            taking.forEach(one -> byUser.computeIfAbsent(
                    one.user(), none -> new ArrayList<>()).add(one));
            for (Operation one : operations) {
                if (one.kind() == Kind.PURCHASE && one.outcome() == Outcome.REFUSED) {
                    boolean excused = one.word().equals("duplicate-submission")
                            && isExcused(evidence, one, operations);
                    if (!excused) {
                        judge(offer, one, ordered,
                                byUser.getOrDefault(one.user(), List.of()), findings);
                    }
                }
            }
        });
    }

    /**
     * The guard's window is measured by Redis's clock. Where Redis lost an order, the repetition
     * of its call is a purchase for Redis, though its answer is that of the first.
     */
    private static boolean isExcused(
            Evidence evidence, Operation duplicate, List<Operation> ofOffer) {
        return evidence.faults().had(Effect.SHIFTS_CLOCK, 0, duplicate.to())
                || ofOffer.stream().anyMatch(one -> one.replayed()
                        && one.user() == duplicate.user() && isJustBefore(one, duplicate)
                        && evidence.mayHaveLost(one, 0, one.to()));
    }

    /** Whether the guard may take one for a duplicate of the other. */
    private static boolean isJustBefore(Operation one, Operation duplicate) {
        return one.from() <= duplicate.to() && one.to() >= duplicate.from()
                - duplicate.offer().guard().toNanos() - GUARD_SLACK
                && one.cart().equals(duplicate.cart());
    }

    private interface Units {
        long of(Operation operation);
    }

    /** Purchases and grabs that took something or may have, each order and each key once. */
    private static List<Operation> taking(List<Operation> operations) {
        Set<Object> orders = new HashSet<>();
        Set<Object> keys = new HashSet<>();
        return operations.stream().filter(Evidence::mayHaveTaken)
                .sorted(Comparator.comparingLong(Operation::from))
                .filter(one -> one.order() == null || orders.add(one.order()))
                .filter(one -> one.key() == null || one.accepted()
                        || keys.add(Evidence.key(one) + " " + one.cart()))
                .toList();
    }

    private static NavigableMap<Long, Long> sums(List<Operation> taking, Units units) {
        NavigableMap<Long, Long> sums = new TreeMap<>(Map.of(-1L, 0L));
        long sum = 0;
        for (Operation one : taking) {
            sum += units.of(one);
            sums.put(one.from(), sum);
        }
        return sums;
    }

    private static void judge(Offer offer, Operation refused,
            Map<String, NavigableMap<Long, Long>> ordered, List<Operation> own,
            Findings findings) {
        Item item = offer.items().stream().filter(one -> one.sku().equals(refused.sku()))
                .findFirst().orElse(null);
        boolean legal = switch (refused.word()) {
            case "sold-out" -> item != null
                    && ordered.get(item.sku()).floorEntry(refused.to()).getValue() >= item.total();
            case "insufficient-stock" -> item != null
                    && ordered.get(item.sku()).floorEntry(refused.to()).getValue()
                    + refused.cart().of(item.sku()) > item.total();
            case "limit-reached" -> item == null ? isRecordFull(own, refused)
                    : sum(own, refused, item.sku())
                    + refused.cart().of(item.sku()) > item.limit() && item.limit() > 0;
            case "duplicate-submission" -> own.stream().anyMatch(
                    one -> one != refused && isJustBefore(one, refused));
            default -> true;
        };
        if (!legal) {
            findings.add("refusals: " + refused.word() + " could not be", refused.from(), 1,
                    refused + " of " + refused.sku());
        }
    }

    /** A record takes 16 KiB; ordersPerUser lies beyond that here. */
    private static boolean isRecordFull(List<Operation> own, Operation refused) {
        return own.stream().filter(one -> one.from() <= refused.to()).count() >= RECORD_ORDERS;
    }

    private static long sum(List<Operation> own, Operation refused, String sku) {
        return own.stream().filter(one -> one.from() <= refused.to())
                .mapToLong(one -> one.cart().of(sku)).sum();
    }

    private static void judgeEmpty(Offer rain, List<Operation> operations,
            List<Operation> taking, Findings findings) {
        NavigableMap<Long, Long> granted = sums(taking, one -> 1);
        for (Operation one : operations) {
            boolean wrong = one.kind() == Kind.GRAB && one.outcome() == Outcome.REFUSED
                    && switch (one.word()) {
                        case "empty" -> granted.floorEntry(one.to()).getValue()
                                < rain.amounts().size();
                        case "limit-reached" -> taking.stream().filter(other ->
                                other.user() == one.user() && other.from() <= one.to()).count()
                                < rain.grabsPerUser();
                        default -> false;
                    };
            if (wrong) {
                findings.add("refusals: " + one.word() + " of a rain could not be", one.from(), 1,
                        one);
            }
        }
    }
}
