package dev.rush.nemesis;

import dev.rush.nemesis.client.History;
import dev.rush.nemesis.fault.Fault;
import dev.rush.nemesis.fault.Fault.Effect;
import dev.rush.nemesis.fault.Fault.Group;
import dev.rush.nemesis.fault.Fault.Injection;
import dev.rush.nemesis.fault.InjectedFault;
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
 * Injects faults in rounds: picks one to three, keeps them active for a while, heals them, and
 * pauses before the next round. The seed determines the choices; timing depends on the machine.
 */
final class FaultLoop {
    private static final int FAULTS_MAX = 3;
    private static final int FAULT_MS_MAX = 3_000;
    /** The maximum delay between injecting two overlapping faults. */
    private static final int STAGGER_MS_MAX = 500;
    /** Calm between rounds, so that some calls succeed. */
    private static final int CALM_MS_MIN = 300;
    private static final int CALM_MS_SPREAD = 2_500;
    /** A failover that no fault caused: a master was too slow. */
    private static final String UNPLANNED = "unplanned-failover";

    private final Topology topology;
    private final History history;
    private final List<Fault> faults;
    private final Random random;
    private final Runnable repair;
    private final List<InjectedFault> injected = Collections.synchronizedList(new ArrayList<>());
    private Map<Integer, String> owners;
    private long ownersReadAt;

    /** A fault that is in effect. */
    private record ActiveFault(Fault fault, Injection injection, long from) {
        boolean has(Effect effect) {
            return fault.effects().contains(effect);
        }
    }

    /**
     * Creates a loop that injects nothing before {@link #run}.
     *
     * @param repair rebuilds all sales after Redis was emptied
     */
    FaultLoop(Topology topology, History history, List<Fault> faults, long seed, Runnable repair) {
        this.topology = topology;
        this.history = history;
        this.faults = faults;
        this.repair = repair;
        random = new Random(seed);
        owners = Nodes.owners(topology);
    }

    List<InjectedFault> injected() {
        synchronized (injected) {
            return List.copyOf(injected);
        }
    }

    /**
     * Injects faults until the given time and returns once all are healed.
     *
     * @param end ns since the run began
     */
    void run(long end) {
        while (!faults.isEmpty() && history.now() < end) {
            Await.sleep(CALM_MS_MIN + random.nextInt(CALM_MS_SPREAD));
            runRound(end);
        }
        recordUnplannedFailovers(Set.of());
    }

    private void runRound(long end) {
        List<ActiveFault> round = new ArrayList<>();
        Set<Group> groups = EnumSet.noneOf(Group.class);
        int wanted = 1 + random.nextInt(FAULTS_MAX);
        for (int i = 0; i < wanted; i++) {
            Fault fault = faults.get(random.nextInt(faults.size()));
            // The repair after emptying Redis needs everything else to be healthy.
            boolean alone = fault.effects().contains(Effect.EMPTIES_REDIS);
            if (alone && !round.isEmpty() || alone && random.nextBoolean()
                    || !fault.canBeInjected(topology) || !groups.add(fault.group())) {
                continue;
            }
            inject(fault, round);
            if (alone) {
                break;
            }
            Await.sleep(random.nextInt(STAGGER_MS_MAX));
        }
        Await.sleep(Math.max(0, Math.min(random.nextInt(FAULT_MS_MAX),
                (end - history.now()) / 1_000_000)));
        // Nodes can restart only once their disks work again.
        round.stream().filter(active -> active.fault.group() != Group.REDIS)
                .forEach(this::heal);
        boolean nodesStopped = round.stream()
                .anyMatch(active -> active.has(Effect.STOPS_NODES));
        if (nodesStopped && groups.add(Group.REDIS)) {
            Nodes.heal(topology);
        }
        round.stream().filter(active -> active.fault.group() == Group.REDIS)
                .forEach(this::heal);
        // A slot moves back last: both nodes need memory and disk space for that.
        round.sort(Comparator.comparing(active -> active.has(Effect.MOVES_SLOTS)));
        round.forEach(this::cleanUp);
        Set<Integer> moved = new HashSet<>();
        round.stream().filter(active -> !nodesStopped && active.has(Effect.MOVES_SLOTS))
                .forEach(active -> moved.addAll(active.injection.partitions()));
        recordUnplannedFailovers(moved);
    }

    private void inject(Fault fault, List<ActiveFault> round) {
        long from = history.now();
        Injection injection;
        try {
            injection = fault.inject(topology, random);
        } catch (Exception | AssertionError e) {
            injection = Injection.failed(topology, e);
        }
        round.add(new ActiveFault(fault, injection, from));
        log(from, "injected: " + fault + " (" + injection.target() + ")");
    }

    /** Heals a fault. One that empties Redis is over before the repair, others after cleanup. */
    private void heal(ActiveFault active) {
        run(active, active.injection.healing());
        if (active.has(Effect.EMPTIES_REDIS)) {
            record(active);
            repair.run();
        }
    }

    private void cleanUp(ActiveFault active) {
        run(active, active.injection.cleanup());
        if (!active.has(Effect.EMPTIES_REDIS)) {
            record(active);
        }
        log(history.now(), "healed: " + active.fault);
    }

    private void record(ActiveFault active) {
        injected.add(new InjectedFault(active.fault.name(), active.fault.effects(),
                Set.copyOf(active.injection.partitions()), active.from, history.now()));
    }

    private static void run(ActiveFault active, Fault.Healing healing) {
        try {
            healing.heal();
        } catch (Exception e) {
            throw new AssertionError(
                    active.fault + " (" + active.injection.target() + ") does not heal", e);
        }
    }

    /** Records failovers that no fault of the last round explains. */
    private void recordUnplannedFailovers(Set<Integer> moved) {
        Map<Integer, String> now = Nodes.owners(topology);
        Set<Integer> changed = new HashSet<>(now.keySet());
        changed.removeIf(partition -> now.get(partition).equals(owners.get(partition))
                || moved.contains(partition));
        long at = history.now();
        if (!changed.isEmpty() && causes(changed).isEmpty()) {
            injected.add(new InjectedFault(
                    UNPLANNED, EnumSet.of(Effect.LOSES_WRITES), changed, ownersReadAt, at));
            log(at, "unplanned failover of " + changed.size() + " partitions");
        }
        owners = now;
        ownersReadAt = at;
    }

    private List<InjectedFault> causes(Set<Integer> changed) {
        return injected().stream().filter(fault -> fault.to() >= ownersReadAt
                && fault.effects().contains(Effect.LOSES_WRITES)
                && fault.partitions().containsAll(changed)).toList();
    }

    private static void log(long at, String event) {
        System.out.printf("%6.1f s  %s%n", at / 1e9, event);
    }
}
