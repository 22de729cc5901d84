package dev.rush.reconciliation.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.Sums.Column;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Whatever happens while both stores are read, balanced books have no drift, and an error shows as
 * exactly its drift. Both stores are simulated here order by order.
 */
class BookFormulaTest {
    private static final int HISTORIES = 20_000;

    private enum Status { WAITING, FAILED, RESERVED, CONFIRMED, EXPIRED, RETURNED, REJECTED }

    /** An order of one item. */
    private static final class Bought {
        private final long seq;
        private final long atMs;
        private final long units;
        private Status status = Status.WAITING;
        private boolean inRedisCredited;
        private boolean credited;
        private boolean settled;

        private Bought(long seq, long atMs, long units) {
            this.seq = seq;
            this.atMs = atMs;
            this.units = units;
        }

        private boolean isEnded() {
            return status == Status.EXPIRED || status == Status.RETURNED;
        }
    }

    /** Both stores, which change step by step. */
    private static final class Stores {
        private final Random random;
        private final List<Bought> all = new ArrayList<>();
        private final Deque<Bought> stream = new ArrayDeque<>();
        private long nowMs = 1_000;
        private long ordered;
        private long creditedInRedis;

        private Stores(Random random) {
            this.random = random;
        }

        private void live(int steps) {
            for (int i = 0; i < steps; i++) {
                step();
            }
        }

        private void step() {
            switch (random.nextInt(7)) {
                case 0, 1 -> buy();
                case 2 -> store();
                case 3 -> change();
                case 4 -> creditInRedis();
                case 5 -> noteCredit();
                default -> nowMs += random.nextInt(2);
            }
        }

        private void buy() {
            Bought order = new Bought(all.size() + 1, nowMs, 1 + random.nextInt(3));
            all.add(order);
            stream.add(order);
            ordered += order.units;
        }

        private void store() {
            Bought order = stream.poll();
            if (order != null) {
                order.status = List.of(Status.RESERVED, Status.CONFIRMED, Status.CONFIRMED,
                        Status.REJECTED, Status.FAILED).get(random.nextInt(5));
            }
        }

        private Bought any(List<Bought> orders) {
            return orders.isEmpty() ? null : orders.get(random.nextInt(orders.size()));
        }

        private void change() {
            Bought order = any(all);
            if (order != null && order.status == Status.RESERVED) {
                order.status = List.of(Status.CONFIRMED, Status.EXPIRED, Status.RETURNED)
                        .get(random.nextInt(3));
            } else if (order != null && order.status == Status.CONFIRMED) {
                order.status = Status.RETURNED;
            } else if (order != null && order.status == Status.FAILED) {
                order.status = Status.CONFIRMED;
            }
        }

        private void creditInRedis() {
            Bought order = any(all.stream()
                    .filter(each -> each.isEnded() && !each.inRedisCredited).toList());
            if (order != null) {
                order.inRedisCredited = true;
                ordered -= order.units;
                creditedInRedis += order.units;
            }
        }

        private void noteCredit() {
            Bought order = any(all.stream()
                    .filter(each -> each.inRedisCredited && !each.credited).toList());
            if (order != null) {
                order.credited = true;
            }
        }

        private void drain(long seq) {
            while (!stream.isEmpty() && stream.peek().seq <= seq) {
                store();
            }
        }

        private Units ledger(List<Bought> orders) {
            Units units = Units.NONE;
            for (Bought order : orders) {
                switch (order.status) {
                    case WAITING, FAILED -> { }
                    case REJECTED -> units = units.plus(Column.REJECTED, order.units)
                            .plus(Column.SETTLED, order.settled ? order.units : 0);
                    default -> units = units.plus(Column.STORED, order.units)
                            .plus(Column.valueOf(order.status.name()), order.units)
                            .plus(Column.CREDITED, order.credited ? order.units : 0);
                }
            }
            return units;
        }

        private long units(Status status, long seq, long atMs) {
            return all.stream().filter(order -> order.status == status
                    && !isAfter(order, seq, atMs)).mapToLong(order -> order.units).sum();
        }

        private static boolean isAfter(Bought order, long seq, long atMs) {
            return order.seq > seq && order.atMs >= atMs;
        }

        /** Reads one store after the other, as the job does, while both change. */
        private BookFormula read(boolean drained, int meanwhile) {
            long creditedBefore = ledger(all).of(Column.CREDITED);
            live(random.nextInt(meanwhile + 1));
            long seq = all.size();
            long atMs = nowMs;
            long orderedThen = ordered;
            long creditedThen = creditedInRedis;
            live(random.nextInt(meanwhile + 1));
            if (drained) {
                drain(seq);
            }
            Units after = ledger(all.stream().filter(order -> isAfter(order, seq, atMs)).toList());
            return new BookFormula(ledger(all), after, creditedBefore,
                    units(Status.FAILED, seq, atMs), units(Status.WAITING, seq, atMs),
                    orderedThen, creditedThen);
        }
    }

    @Test
    void balancedStoresHaveNoDrift() {
        for (int seed = 0; seed < HISTORIES; seed++) {
            Random random = new Random(seed);
            Stores stores = new Stores(random);
            stores.live(random.nextInt(60));
            BookFormula books = stores.read(random.nextBoolean(), 10);
            assertThat(books.drift()).as("seed %d: %s", seed, books).isZero();
            assertThat(books.owed()).as("seed %d: %s", seed, books).isNotNegative();
        }
    }

    @Test
    void surplusAndMissingUnitsInRedisAreTheDrift() {
        for (int seed = 0; seed < HISTORIES; seed++) {
            Random random = new Random(seed);
            Stores stores = new Stores(random);
            stores.live(random.nextInt(60));
            long drift = random.nextInt(9) - 4;
            stores.ordered += drift;
            assertThat(stores.read(random.nextBoolean(), 10).drift()).as("seed %d", seed)
                    .isEqualTo(drift);
        }
    }

    /** Redis lost a credit that the ledger has recorded, so it is not pending. */
    @Test
    void lostCreditIsFoundOnceNothingIsOwed() {
        for (int seed = 0; seed < HISTORIES; seed++) {
            Random random = new Random(seed);
            Stores stores = new Stores(random);
            stores.live(20 + random.nextInt(60));
            for (Bought order : stores.all) {
                order.inRedisCredited = order.isEnded();
                order.credited = order.isEnded();
            }
            stores.creditedInRedis = stores.all.stream().filter(Bought::isEnded)
                    .mapToLong(order -> order.units).sum();
            stores.ordered = stores.all.stream().filter(order -> !order.isEnded())
                    .mapToLong(order -> order.units).sum();
            long lost = Math.min(stores.creditedInRedis, 2);
            stores.creditedInRedis -= lost;
            stores.ordered += lost;
            assertThat(stores.read(true, 0).drift()).as("seed %d", seed).isEqualTo(lost);
        }
    }

    @Test
    void unitsOfSettledOrdersAreFree() {
        Stores stores = new Stores(new Random(1));
        Bought refused = new Bought(1, 1, 3);
        refused.status = Status.REJECTED;
        stores.all.add(refused);
        stores.ordered = 3;
        assertThat(stores.read(true, 0).drift()).isZero();
        refused.settled = true;
        assertThat(stores.read(true, 0).drift()).isEqualTo(3);
        stores.ordered = 0;
        assertThat(stores.read(true, 0).drift()).isZero();
    }
}
