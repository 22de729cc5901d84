package dev.rush.nemesis.checker;

import dev.rush.nemesis.Layout;
import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongUnaryOperator;

/** All that the checker judges by: the clients' history, the faults, and what is stored. */
public final class Evidence {
    private final List<Operation> operations;
    private final FaultLog faults;
    private final Stored stored;
    private final LongUnaryOperator wallMs;
    private final String durability;
    private final Map<Offer, List<Operation>> byOffer = new LinkedHashMap<>();
    private final Map<String, List<Operation>> byKey = new HashMap<>();
    private final Map<UUID, Operation> firstAnswers = new HashMap<>();

    /**
     * Evidence of one run.
     *
     * @param wallMs the wall clock at an instant of the run
     * @param durability the pods' {@code rush.durability}
     */
    Evidence(List<Operation> operations, FaultLog faults, Stored stored,
            LongUnaryOperator wallMs, String durability) {
        this.operations = operations;
        this.faults = faults;
        this.stored = stored;
        this.wallMs = wallMs;
        this.durability = durability;
        if (faults.lostCommits(0)) {
            // What was placed and also ended in the lost interval stays with Redis alone.
            stored.ended.forEach(stored.orders::putIfAbsent);
        }
        for (Operation operation : operations) {
            byOffer.computeIfAbsent(operation.offer(), none -> new ArrayList<>()).add(operation);
            if (operation.kind() != Kind.PURCHASE && operation.kind() != Kind.GRAB) {
                continue;
            }
            if (operation.key() != null) {
                byKey.computeIfAbsent(key(operation), none -> new ArrayList<>(2)).add(operation);
            }
            if (operation.accepted()) {
                firstAnswers.merge(operation.order(), operation,
                        (one, other) -> one.from() <= other.from() ? one : other);
            }
        }
    }

    List<Operation> operations() {
        return operations;
    }

    FaultLog faults() {
        return faults;
    }

    Stored stored() {
        return stored;
    }

    String durability() {
        return durability;
    }

    long wallMs(long at) {
        return wallMs.applyAsLong(at);
    }

    /** The instant of the run at a wall clock's time, the reverse of {@link #wallMs(long)}. */
    long runNanos(long wallMs) {
        return (wallMs - wallMs(0)) * 1_000_000;
    }

    /** All operations by sale or rain. */
    Map<Offer, List<Operation>> byOffer() {
        return byOffer;
    }

    /** Purchases and grabs under one key of one user each. */
    Map<String, List<Operation>> byKey() {
        return byKey;
    }

    static String key(Operation operation) {
        return key(operation.offer().id(), operation.userName(), operation.key());
    }

    static String key(String offer, String user, String key) {
        return offer + " " + user + " " + key;
    }

    /** The first answer that named each accepted order or grab. */
    Map<UUID, Operation> firstAnswers() {
        return firstAnswers;
    }

    /** The partition in which an operation of a user was decided. */
    int partition(Operation operation) {
        return Layout.partition(operation.offer(), operation.userName());
    }

    /** Whether Redis may have lost something of a user's partition in that time. */
    boolean mayHaveLost(Operation operation, long from, long to) {
        return faults.mayHaveLost(Set.of(partition(operation)), from, to);
    }

    /** Whether Redis may have lost something of a sale or rain at any time. */
    boolean mayHaveLost(Offer offer) {
        return faults.mayHaveLost(Layout.partitions(offer), 0, Long.MAX_VALUE);
    }

    /** Whether an operation took units, or may have, and not just repeated an answer. */
    static boolean mayHaveTaken(Operation operation) {
        return operation.mayHaveHappened() && !operation.replayed()
                && (operation.kind() == Kind.PURCHASE || operation.kind() == Kind.GRAB);
    }

    static boolean accepts(Operation operation) {
        return operation.kind() == Kind.PURCHASE && operation.outcome() == Outcome.OK
                && !operation.replayed();
    }
}
