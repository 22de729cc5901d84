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

/** The evidence of a run: the clients' history, the faults, and the contents of both stores. */
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
     * Indexes the evidence of one run.
     *
     * @param wallMs maps ns since the run began to wall-clock time in ms
     * @param durability the pods' {@code rush.durability}
     */
    Evidence(List<Operation> operations, FaultLog faults, Stored stored,
            LongUnaryOperator wallMs, String durability) {
        this.operations = operations;
        this.faults = faults;
        this.stored = stored;
        this.wallMs = wallMs;
        this.durability = durability;
        if (faults.mayHaveLostCommits(0)) {
            // If an order was both placed and ended in lost commits, only Redis still has it.
            stored.ended.forEach(stored.orders::putIfAbsent);
        }
        for (Operation operation : operations) {
            byOffer.computeIfAbsent(operation.offer(), missing -> new ArrayList<>()).add(operation);
            if (!operation.kind().takes()) {
                continue;
            }
            if (operation.key() != null) {
                byKey.computeIfAbsent(key(operation), missing -> new ArrayList<>(2)).add(operation);
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

    /** Returns ns since the run began, the inverse of {@link #wallMs(long)}. */
    long runNanos(long wallMs) {
        return (wallMs - wallMs(0)) * 1_000_000;
    }

    /** Returns all operations by sale or rain. */
    Map<Offer, List<Operation>> byOffer() {
        return byOffer;
    }

    /** Returns the purchases and grabs under each key of a user. */
    Map<String, List<Operation>> byKey() {
        return byKey;
    }

    static String key(Operation operation) {
        return key(operation.offer().id(), operation.userName(), operation.key());
    }

    static String key(String offer, String user, String key) {
        return offer + " " + user + " " + key;
    }

    /** Returns the first answer with each accepted order or grab. */
    Map<UUID, Operation> firstAnswers() {
        return firstAnswers;
    }

    /** Returns the partition in which a user's operation was decided. */
    int partition(Operation operation) {
        return Layout.partition(operation.offer(), operation.userName());
    }

    /** Returns whether the partition of an operation may have lost writes between two instants. */
    boolean mayHaveLost(Operation operation, long from, long to) {
        return faults.mayHaveLost(Set.of(partition(operation)), from, to);
    }

    /** Returns whether Redis may have lost writes of a sale or rain at any time. */
    boolean mayHaveLost(Offer offer) {
        return faults.mayHaveLost(Layout.partitions(offer), 0, Long.MAX_VALUE);
    }

    /** Returns whether an operation may have taken units itself, and is not just a replay. */
    static boolean mayHaveTaken(Operation operation) {
        return operation.mayHaveHappened() && !operation.replayed()
                && operation.kind().takes();
    }

    /** Returns whether it is an accepted purchase, and not just a replay. */
    static boolean isNewPurchase(Operation operation) {
        return operation.kind() == Kind.PURCHASE && operation.outcome() == Outcome.OK
                && !operation.replayed();
    }
}
