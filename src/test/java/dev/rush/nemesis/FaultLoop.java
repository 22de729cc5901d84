package dev.rush.nemesis;

import dev.rush.nemesis.client.History;
import dev.rush.nemesis.fault.Fault;
import dev.rush.nemesis.fault.Fault.Effect;
import dev.rush.nemesis.fault.Fault.Group;
import dev.rush.nemesis.fault.Fault.Injury;
import dev.rush.nemesis.fault.Injected;
import dev.rush.nemesis.fault.Nodes;
import dev.rush.testing.Await;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Picks one to three faults, lets them last, heals them, lets the servers rest, and begins again.
 * What it picks follows from the seed; how long each takes, from the machine.
 */
final class FaultLoop {
    private static final int FAULTS_MAX = 3;
    private static final int FAULT_MS_MAX = 3_000;
    /** Between the beginnings of faults that overlap. */
    private static final int STAGGER_MS_MAX = 500;
    /** Some calm between rounds, so that clients succeed as well. */
    private static final int REST_MS_MIN = 300;
    private static final int REST_MS_SPREAD = 2_500;
    /** A failover that no fault was meant to cause: a master was too slow. */
    private static final String UNPLANNED = "unplanned-failover";

    private final Topology topology;
    private final History history;
    private final List<Fault> faults;
    private final Random random;
    private final Runnable repair;
    private final List<Injected> injected = Collections.synchronizedList(new ArrayList<>());
    private Map<Integer, String> owners;
    private long ownersAt;

    /** A fault that is on. */
    private record Open(Fault fault, Injury injury, long from) {
    }

    /**
     * A loop that has not begun.
     *
     * @param repair rebuilds what Redis has lost altogether
     */
    FaultLoop(Topology topology, History history, List<Fault> faults, long seed, Runnable repair) {
        this.topology = topology;
        this.history = history;
        this.faults = faults;
        this.repair = repair;
        random = new Random(seed);
        owners = Nodes.owners(topology);
    }

    List<Injected> injected() {
        synchronized (injected) {
            return List.copyOf(injected);
        }
    }

    /** Goes on until the time is up, and returns with everything healed. */
    void run(long until) {
        while (!faults.isEmpty() && history.now() < until) {
            Await.sleep(REST_MS_MIN + random.nextInt(REST_MS_SPREAD));
            round(until);
        }
        noteFailovers(Set.of());
    }

    private void round(long until) {
        List<Open> open = new ArrayList<>();
        Set<Group> groups = EnumSet.noneOf(Group.class);
        int wanted = 1 + random.nextInt(FAULTS_MAX);
        for (int i = 0; i < wanted; i++) {
            Fault fault = faults.get(random.nextInt(faults.size()));
            // Emptying is followed by an operator's repair, which wants all else to be well.
            boolean alone = fault.effects().contains(Effect.EMPTIES);
            if (alone && !open.isEmpty() || alone && random.nextBoolean()
                    || !fault.possible(topology) || !groups.add(fault.group())) {
                continue;
            }
            begin(fault, open);
            if (alone) {
                break;
            }
            Await.sleep(random.nextInt(STAGGER_MS_MAX));
        }
        Await.sleep(Math.max(0, Math.min(random.nextInt(FAULT_MS_MAX),
                (until - history.now()) / 1_000_000)));
        // Nodes can start again only once their disks are well.
        open.stream().filter(one -> one.fault.group() != Group.REDIS).forEach(this::heal);
        boolean ended = open.stream().anyMatch(one -> one.fault.effects().contains(Effect.ENDS));
        if (ended && groups.add(Group.REDIS)) {
            Nodes.heal(topology);
        }
        open.stream().filter(one -> one.fault.group() == Group.REDIS).forEach(this::heal);
        // A slot moves back last: both nodes need their memory and their disks for that.
        open.sort(Comparator.comparing(one -> one.fault.effects().contains(Effect.MOVES)));
        open.forEach(this::cleanUp);
        Set<Integer> moved = new HashSet<>();
        open.stream().filter(one -> !ended && one.fault.effects().contains(Effect.MOVES))
                .forEach(one -> moved.addAll(one.injury.partitions()));
        noteFailovers(moved);
    }

    private void begin(Fault fault, List<Open> open) {
        long from = history.now();
        try {
            Injury injury = fault.begin(topology, random);
            open.add(new Open(fault, injury, from));
            log(from, "begins: " + fault + " (" + injury.what() + ")");
        } catch (Exception | AssertionError e) {
            log(from, "did not begin: " + fault + ": " + e);
            // What it has begun to do may have been done.
            open.add(new Open(fault, Injury.halfBegun(topology), from));
        }
    }

    /** Heals a fault; what it emptied counts as emptied until then, the rest until its cleanup. */
    private void heal(Open open) {
        run(open, open.injury.healing());
        if (open.fault.effects().contains(Effect.EMPTIES)) {
            note(open);
            repair.run();
        }
    }

    private void cleanUp(Open open) {
        run(open, open.injury.cleanup());
        if (!open.fault.effects().contains(Effect.EMPTIES)) {
            note(open);
        }
        log(history.now(), "healed: " + open.fault);
    }

    private void note(Open open) {
        injected.add(new Injected(open.fault.name(), open.fault.effects(),
                Set.copyOf(open.injury.partitions()), open.from, history.now()));
    }

    private static void run(Open open, Fault.Healing healing) {
        try {
            healing.heal();
        } catch (Exception e) {
            throw new AssertionError(open.fault + " (" + open.injury.what() + ") does not heal", e);
        }
    }

    /** Enters failovers that no fault of the last round accounts for. */
    private void noteFailovers(Set<Integer> moved) {
        Map<Integer, String> now = Nodes.owners(topology);
        Set<Integer> changed = new HashSet<>(now.keySet());
        changed.removeIf(partition -> now.get(partition).equals(owners.get(partition))
                || moved.contains(partition));
        long at = history.now();
        if (!changed.isEmpty() && accounted(changed).isEmpty()) {
            injected.add(new Injected(
                    UNPLANNED, EnumSet.of(Effect.LOSES), changed, ownersAt, at));
            log(at, "masters changed unplanned: " + changed.size() + " partitions");
        }
        owners = now;
        ownersAt = at;
    }

    private List<Injected> accounted(Set<Integer> changed) {
        return injected().stream().filter(one -> one.to() >= ownersAt
                && one.effects().contains(Effect.LOSES)
                && one.partitions().containsAll(changed)).toList();
    }

    private void log(long at, String what) {
        System.out.printf("%6.1f s  %s%n", at / 1e9, what);
    }
}
