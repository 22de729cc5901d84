package dev.rush.redis.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.cluster.Gate;
import dev.rush.redis.cluster.Tenure;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;

/**
 * I6: pods buy from a partition that repeatedly fails over and loses some of its latest orders.
 * Together they know exactly which answered orders are lost.
 */
class RandomFailoversTest {
    private static final Partition PARTITION = Gate.PARTITIONS.all().get(7);
    private static final int PODS = 3;
    private static final int STEPS = 400;

    private final long seed = Long.getLong("failovers.seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private final List<Order> answered = new ArrayList<>();
    private final List<SequenceLost> losses = new ArrayList<>();
    private final List<Loop> loops = new ArrayList<>();
    private Server server = new Server("0", new Data(List.of(), List.of()));
    private long clock = 1_000;

    /** A former master may grant an order after the next tenure began, so it has its own tenure. */
    private record Order(int id, long number, Tenure tenure) {
    }

    /** What a server holds; tenures and orders are lost together, the latest first. */
    private record Data(List<Tenure> tenures, List<Order> orders) {
        long number() {
            return orders.isEmpty() ? 0 : orders.get(orders.size() - 1).number;
        }

        boolean isOf(String process) {
            return !tenures.isEmpty()
                    && tenures.get(tenures.size() - 1).runId().equals(process);
        }
    }

    /** A process while it is master, with all its states, because replicas may lag. */
    private static final class Server {
        private final String process;
        private final List<Data> states = new ArrayList<>();

        Server(String process, Data first) {
            this.process = process;
            states.add(first);
        }

        Data data() {
            return states.get(states.size() - 1);
        }
    }

    /** One event loop of a pod. */
    private final class Loop {
        private final Sequences sequences;
        private Server connected;
        private Tenure tenure;
        private Runnable late = () -> { };
        private Server lateOf;

        Loop(Sequences sequences) {
            this.sequences = sequences;
        }

        void buy() {
            // Now and then, a loop that knows no other master yet calls a former one once more.
            if (connected == null || connected != server && (random.nextInt(10) > 0
                    || !tenure.equals(sequences.mark(PARTITION).tenure()))) {
                checkIn();
            }
            PartitionSequence.Mark before = sequences.mark(PARTITION);
            Data data = connected.data();
            Order order = new Order(answered.size(), data.number() + 1, tenure);
            connected.states.add(new Data(data.tenures, with(data.orders, order)));
            answered.add(order);
            late.run();
            Tenure answering = tenure;
            Server asked = connected;
            lateOf = asked;
            late = () -> {
                late = () -> { };
                if (sequences.observe(PARTITION, before, answering, order.number, 1, clock)
                        && connected == asked) {
                    connected = null;
                }
            };
            if (random.nextInt(4) > 0) {
                late.run();
            }
        }

        void checkIn() {
            late.run();
            connected = server;
            Data data = server.data();
            if (!data.isOf(server.process)) {
                data = new Data(with(data.tenures,
                        new Tenure(server.process, data.number(), clock++)), data.orders);
                server.states.add(data);
            }
            tenure = data.tenures.get(data.tenures.size() - 1);
            sequences.checkIn(
                    PARTITION, data.tenures, sequences.mark(PARTITION).tenure(), clock);
        }
    }

    private static <T> List<T> with(List<T> list, T last) {
        List<T> longer = new ArrayList<>(list);
        longer.add(last);
        return longer;
    }

    /** Another process, or an earlier one that has become a replica meanwhile. */
    private void failOver(int step) {
        // Connections to a hung master are closed long before the second failover after it.
        loops.stream().filter(loop -> loop.lateOf != server).forEach(loop -> loop.late.run());
        loops.stream().filter(loop -> loop.connected != server)
                .forEach(loop -> loop.connected = null);
        List<Data> states = server.states;
        Data kept = states.get(Math.max(0, states.size() - 1 - random.nextInt(6)));
        boolean comesBack = random.nextBoolean() && kept.isOf(server.process);
        String process = comesBack ? kept.tenures.get(random.nextInt(kept.tenures.size())).runId()
                : Integer.toString(step);
        if (!process.equals(server.process)) {
            server = new Server(process, kept);
        }
    }

    private boolean isReported(Order order) {
        return losses.stream().anyMatch(loss -> loss.low() < order.number
                && order.number <= loss.high() && loss.sinceMs() <= order.tenure.begunMs()
                && order.tenure.begunMs() < loss.noticedAtMs());
    }

    @RepeatedTest(200)
    @DisplayName("I6: exactly the answered orders that failovers lost are reported as lost")
    void exactlyTheLostOrdersAreReported() {
        for (int i = 0; i < PODS; i++) {
            Sequences sequences = new Sequences(
                    Gate.PARTITIONS, Gate.event(losses::add), new SimpleMeterRegistry());
            loops.add(new Loop(sequences));
            loops.add(new Loop(sequences));
        }
        for (int step = 1; step < STEPS; step++) {
            if (random.nextInt(20) == 0) {
                failOver(step);
            } else {
                loops.get(random.nextInt(loops.size())).buy();
            }
        }
        loops.forEach(Loop::checkIn);

        Set<Order> kept = new HashSet<>(server.data().orders);
        for (Order order : answered) {
            assertThat(isReported(order)).as("seed %d: %s is lost, by %s", seed, order,
                    losses.stream().filter(loss -> loss.high() >= order.number).limit(9).toList())
                    .isEqualTo(!kept.contains(order));
        }
    }
}
