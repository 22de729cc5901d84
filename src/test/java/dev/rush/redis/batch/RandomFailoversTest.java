package dev.rush.redis.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.cluster.Epoch;
import dev.rush.redis.cluster.Gate;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;

/**
 * I6: pods buy from a partition that fails over again and again and loses some of what it had last.
 * Together they know exactly which answered orders are lost.
 */
class RandomFailoversTest {
    private static final Partition PARTITION = Gate.PARTITIONS.all().get(7);
    private static final int PODS = 4;
    private static final int STEPS = 400;

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final List<Order> answered = new ArrayList<>();
    private final List<SequenceLost> losses = new ArrayList<>();
    private Server server = new Server("0", new Data(List.of(), List.of()));
    private long clock = 1_000;

    /** A former master may grant one after the next epoch began, so its own epoch says when. */
    private record Order(int id, long number, long epochMs) {
    }

    /** What a server holds; epochs and orders are lost together, the latest first. */
    private record Data(List<Epoch> epochs, List<Order> orders) {
        long number() {
            return orders.isEmpty() ? 0 : orders.get(orders.size() - 1).number;
        }
    }

    /** A process, which keeps all states that it ever had, as replicas may lag. */
    private static final class Server {
        private final String id;
        private final List<Data> states = new ArrayList<>();

        Server(String id, Data first) {
            this.id = id;
            states.add(first);
        }

        Data data() {
            return states.get(states.size() - 1);
        }
    }

    private final class Pod {
        private final Sequences sequences = new Sequences(
                Gate.PARTITIONS, Gate.event(losses::add), new SimpleMeterRegistry());
        private Server connected;
        private Epoch epoch;

        void buy() {
            // A former master is asked once more, now and then.
            if (connected != server && (connected == null || random.nextInt(10) > 0)) {
                checkIn();
            }
            Sequences.Mark before = sequences.mark(PARTITION);
            Data data = connected.data();
            Order order = new Order(
                    answered.size(), data.number() + 1, epoch.begunMs());
            connected.states.add(new Data(data.epochs, with(data.orders, order)));
            answered.add(order);
            sequences.observe(PARTITION, before, epoch, order.number, 1, 0);
        }

        void checkIn() {
            connected = server;
            Data data = server.data();
            if (data.epochs.isEmpty()
                    || !data.epochs.get(data.epochs.size() - 1).server().equals(server.id)) {
                data = new Data(with(data.epochs, new Epoch(server.id, data.number(), clock++)),
                        data.orders);
                server.states.add(data);
            }
            epoch = sequences.checkIn(PARTITION, data.epochs);
        }
    }

    private static <T> List<T> with(List<T> list, T last) {
        List<T> longer = new ArrayList<>(list);
        longer.add(last);
        return longer;
    }

    private void failOver(int number) {
        List<Data> states = server.states;
        int kept = Math.max(0, states.size() - 1 - random.nextInt(6));
        server = new Server(Integer.toString(number), states.get(kept));
    }

    private boolean isCounted(Order order) {
        return losses.stream().anyMatch(loss -> loss.low() < order.number
                && order.number <= loss.high() && loss.sinceMs() <= order.epochMs
                && order.epochMs < loss.noticedAtMs());
    }

    @RepeatedTest(200)
    @DisplayName("I6: exactly the answered orders that failovers lost are known as lost")
    void exactlyWhatWasLostIsCounted() {
        List<Pod> pods = new ArrayList<>();
        for (int i = 0; i < PODS; i++) {
            pods.add(new Pod());
        }
        for (int step = 1; step < STEPS; step++) {
            if (random.nextInt(20) == 0) {
                failOver(step);
            } else {
                pods.get(random.nextInt(PODS)).buy();
            }
        }
        pods.forEach(Pod::checkIn);

        Set<Order> kept = new HashSet<>(server.data().orders);
        for (Order order : answered) {
            assertThat(isCounted(order)).as("seed %d: %s is lost, by %s", seed, order,
                    losses.stream().filter(loss -> loss.high() >= order.number).limit(9).toList())
                    .isEqualTo(!kept.contains(order));
        }
    }
}
