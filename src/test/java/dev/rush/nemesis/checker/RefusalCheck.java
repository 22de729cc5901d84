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
import java.util.function.ToLongFunction;

/**
 * Every refusal because of stock, envelopes, a limit or the duplicate guard was right at some
 * instant between request and answer. The check counts all purchases and grabs that may have been
 * accepted by then. It does not subtract returned units, so it does not detect a refusal that was
 * wrong only because units had come back.
 */
final class RefusalCheck implements Check {
    private static final long GUARD_SLACK_NANOS = 500_000_000L;
    /** An order of these clients takes less than 160 bytes of its buyer's record of 16 KiB. */
    private static final int RECORD_ORDERS_MIN = 16 * 1024 / 160;

    @Override
    public void check(Evidence evidence, Findings findings) {
        evidence.byOffer().forEach((offer, operations) -> {
            List<Operation> taking = taking(operations);
            if (offer.isRain()) {
                checkEmpty(offer, operations, taking, findings);
                return;
            }
            Map<String, NavigableMap<Long, Long>> ordered = new HashMap<>();
            offer.items().forEach(item -> ordered.put(item.sku(),
                    sums(taking, operation -> operation.cart().quantity(item.sku()))));
            Map<Integer, List<Operation>> byUser = new HashMap<>();
            taking.forEach(operation -> byUser.computeIfAbsent(
                    operation.user(), user -> new ArrayList<>()).add(operation));
            for (Operation operation : operations) {
                if (operation.kind() == Kind.PURCHASE
                        && operation.outcome() == Outcome.REFUSED) {
                    boolean excused = operation.word().equals("duplicate-submission")
                            && isExcused(evidence, operation, operations);
                    if (!excused) {
                        check(offer, operation, ordered,
                                byUser.getOrDefault(operation.user(), List.of()), findings);
                    }
                }
            }
        });
    }

    /**
     * Redis's clock measures the guard's window, so a shifted clock is an excuse. If Redis lost an
     * order, it takes a retry for a new purchase, although the answer names the first order.
     */
    private static boolean isExcused(
            Evidence evidence, Operation duplicate, List<Operation> ofOffer) {
        return evidence.faults().anyWith(Effect.SHIFTS_CLOCK, 0, duplicate.to())
                || ofOffer.stream().anyMatch(retry -> retry.replayed()
                        && retry.user() == duplicate.user() && isJustBefore(retry, duplicate)
                        && evidence.mayHaveLost(retry, 0, retry.to()));
    }

    /** Returns whether the guard may refuse a call as a duplicate of another one. */
    private static boolean isJustBefore(Operation other, Operation duplicate) {
        return other.from() <= duplicate.to() && other.to() >= duplicate.from()
                - duplicate.offer().guard().toNanos() - GUARD_SLACK_NANOS
                && other.cart().equals(duplicate.cart());
    }

    /** Returns purchases and grabs that may have taken units, each order and each key once. */
    private static List<Operation> taking(List<Operation> operations) {
        Set<Object> orders = new HashSet<>();
        Set<Object> keys = new HashSet<>();
        return operations.stream().filter(Evidence::mayHaveTaken)
                .sorted(Comparator.comparingLong(Operation::from))
                .filter(operation -> operation.order() == null || orders.add(operation.order()))
                .filter(operation -> operation.key() == null || operation.accepted()
                        || keys.add(Evidence.key(operation) + " " + operation.cart()))
                .toList();
    }

    /** Returns the units that may have been taken by each instant. */
    private static NavigableMap<Long, Long> sums(
            List<Operation> taking, ToLongFunction<Operation> units) {
        NavigableMap<Long, Long> sums = new TreeMap<>(Map.of(-1L, 0L));
        long sum = 0;
        for (Operation operation : taking) {
            sum += units.applyAsLong(operation);
            sums.put(operation.from(), sum);
        }
        return sums;
    }

    private static void check(Offer offer, Operation refused,
            Map<String, NavigableMap<Long, Long>> ordered, List<Operation> own,
            Findings findings) {
        Item item = offer.items().stream()
                .filter(candidate -> candidate.sku().equals(refused.sku()))
                .findFirst().orElse(null);
        boolean possible = switch (refused.word()) {
            case "sold-out" -> item != null
                    && ordered.get(item.sku()).floorEntry(refused.to()).getValue() >= item.total();
            case "insufficient-stock" -> item != null
                    && ordered.get(item.sku()).floorEntry(refused.to()).getValue()
                    + refused.cart().quantity(item.sku()) > item.total();
            case "limit-reached" -> item == null ? isRecordFull(own, refused)
                    : sum(own, refused, item.sku())
                    + refused.cart().quantity(item.sku()) > item.limit() && item.limit() > 0;
            case "duplicate-submission" -> own.stream().anyMatch(
                    other -> other != refused && isJustBefore(other, refused));
            default -> true;
        };
        if (!possible) {
            findings.add("refusals: " + refused.word() + " was impossible", refused.from(), 1,
                    refused + " of " + refused.sku());
        }
    }

    /** The record's size is the bound here; ordersPerUser is never reached. */
    private static boolean isRecordFull(List<Operation> own, Operation refused) {
        return own.stream().filter(other -> other.from() <= refused.to()).count()
                >= RECORD_ORDERS_MIN;
    }

    private static long sum(List<Operation> own, Operation refused, String sku) {
        return own.stream().filter(other -> other.from() <= refused.to())
                .mapToLong(other -> other.cart().quantity(sku)).sum();
    }

    private static void checkEmpty(Offer rain, List<Operation> operations,
            List<Operation> taking, Findings findings) {
        NavigableMap<Long, Long> granted = sums(taking, grab -> 1);
        for (Operation operation : operations) {
            boolean wrong = operation.kind() == Kind.GRAB
                    && operation.outcome() == Outcome.REFUSED
                    && switch (operation.word()) {
                        case "empty" -> granted.floorEntry(operation.to()).getValue()
                                < rain.amounts().size();
                        case "limit-reached" -> taking.stream().filter(other ->
                                other.user() == operation.user()
                                && other.from() <= operation.to()).count()
                                < rain.grabsPerUser();
                        default -> false;
                    };
            if (wrong) {
                findings.add("refusals: " + operation.word() + " of a rain was impossible",
                        operation.from(), 1, operation);
            }
        }
    }
}
