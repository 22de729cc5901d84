package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.http.Caller;
import dev.rush.testing.Environments;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Random steps of orders against a model in memory: statuses, sums, units sold, open reservations
 * and owed credits. {@code -Drush.seed} repeats a run; {@code -Djournal.steps} makes it longer.
 */
class StepsModelTest {
    private static final int STEPS = Integer.getInteger("journal.steps", 1_000);
    private static final int MONTH = TestJournal.MONTH;
    private static final Actor ACTOR = Actor.of(Caller.actingFor("u", false));

    private final long seed = Long.getLong("rush.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Map<UUID, Known> known = new HashMap<>();
    private final List<Known> all = new ArrayList<>();
    private TestJournal test;
    private String sale;
    private long clock;

    /** The expected state of an order. */
    private static final class Known {
        final UUID id;
        final String user;
        final String key;
        final Map<String, Long> quantities;
        final long payBy;
        OrderStatus status;
        int step;
        boolean held;
        boolean owed;
        boolean credited;

        Known(UUID id, String user, String key, Map<String, Long> quantities, long payBy) {
            this.id = id;
            this.user = user;
            this.key = key;
            this.quantities = quantities;
            this.payBy = payBy;
            this.status = payBy > 0 ? OrderStatus.RESERVED : OrderStatus.CONFIRMED;
        }

        boolean isReserved() {
            return status == OrderStatus.RESERVED;
        }

        void become(OrderStatus next) {
            status = next;
            step++;
            owed = next.isEnded();
        }
    }

    @Test
    void randomStepsMatchTheModel() throws Exception {
        try (TestJournal journal = new TestJournal(Environments.ledger().freshDatabase())) {
            test = journal;
            sale = test.sale("a:100000:0", "b:100000:0", "c:100000:0");
            for (int i = 1; i <= STEPS; i++) {
                step();
                if (i % 100 == 0) {
                    compare();
                }
            }
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("repeat with -Drush.seed=" + seed, e);
        }
    }

    private void step() {
        clock += random.nextInt(3);
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> store();
            case 3, 4 -> confirm();
            case 5, 6 -> giveBack();
            case 7 -> expire();
            case 8 -> credit();
            default -> hold();
        }
    }

    private void store() {
        Map<String, Long> quantities = new TreeMap<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            quantities.put(List.of("a", "b", "c").get(random.nextInt(3)),
                    1L + random.nextInt(4));
        }
        long payBy = random.nextInt(3) == 0 ? 0 : clock + 1 + random.nextInt(20);
        String user = "user" + random.nextInt(5);
        String key = random.nextBoolean() ? null : "key" + all.size();
        UUID id = test.order(sale, user, key, Lines.text(quantities), payBy);
        Known order = new Known(id, user, key, quantities, payBy);
        known.put(id, order);
        all.add(order);
    }

    private Known any() {
        // Younger ones are more often not at their end yet.
        int from = random.nextBoolean() ? 0 : Math.max(0, all.size() - 20);
        return all.isEmpty() ? null : all.get(from + random.nextInt(all.size() - from));
    }

    private void confirm() {
        Known order = any();
        if (order != null && order.isReserved()) {
            test.transact((connection, ledgerState) -> {
                Steps.confirm(connection, ledgerState, OrderRows.find(connection, MONTH, sale,
                        order.id), ACTOR, new Payment("pay" + order.id, null, null));
                return null;
            });
            order.become(OrderStatus.CONFIRMED);
        }
    }

    private void giveBack() {
        Known order = any();
        if (order != null && !order.status.isEnded()) {
            test.transact((connection, ledgerState) -> Steps.giveBack(connection, ledgerState,
                    OrderRows.find(connection, MONTH, sale, order.id), ACTOR, null));
            order.become(OrderStatus.RETURNED);
        }
    }

    private void expire() {
        List<Known> due = all.stream().filter(order -> order.isReserved() && !order.held
                && order.payBy <= clock).sorted(Comparator.comparing(order -> order.payBy))
                .toList();
        int max = 1 + random.nextInt(4);
        List<OwedCredit> ended = test.transact((connection, ledgerState) ->
                Steps.expire(connection, ledgerState, 0, clock, max));
        assertThat(ended).extracting(credit -> known.get(credit.order()).payBy)
                .containsExactlyInAnyOrderElementsOf(due.stream().limit(max)
                        .map(order -> order.payBy).toList());
        ended.forEach(credit -> {
            assertThat(due).contains(known.get(credit.order()));
            known.get(credit.order()).become(OrderStatus.EXPIRED);
        });
    }

    private void credit() {
        test.sql("UPDATE credits SET since = since - interval '1 minute'");
        int max = 1 + random.nextInt(4);
        List<OwedCredit> due = test.transact((connection, ledgerState) ->
                OwedCredits.due(connection, ledgerState, List.of(0), max));
        assertThat(due).hasSize(
                (int) Math.min(max, all.stream().filter(order -> order.owed).count()));
        Map<UUID, String> words = new HashMap<>();
        due.stream().filter(credit -> random.nextBoolean())
                .forEach(credit -> words.put(credit.order(), "credited"));
        test.transact((connection, ledgerState) -> {
            Steps.credited(connection, ledgerState, due, words);
            return null;
        });
        words.keySet().forEach(id -> {
            known.get(id).owed = false;
            known.get(id).credited = true;
        });
    }

    private void hold() {
        boolean hold = random.nextInt(4) == 0;
        int changed = test.transact((connection, ledgerState) -> hold
                ? Reservations.hold(connection, 0, 0, Integer.MAX_VALUE).orders()
                : Reservations.release(connection, sale, 0, Integer.MAX_VALUE).orders());
        List<Known> found = all.stream()
                .filter(order -> order.isReserved() && order.held != hold).toList();
        assertThat(changed).isEqualTo(found.size());
        found.forEach(order -> order.held = hold);
    }

    private void compare() {
        assertThat(test.sums(sale)).isEqualTo(sums()).isEqualTo(test.recount(sale));
        assertThat(test.sql("SELECT string_agg(order_id::text || held, ',' ORDER BY order_id)"
                + " FROM reservations")).isEqualTo(ids(all.stream().filter(Known::isReserved)
                .collect(Collectors.toMap(order -> order.id, order -> "" + order.held))));
        assertThat(test.sql("SELECT string_agg(order_id::text || step, ',' ORDER BY order_id)"
                + " FROM credits")).isEqualTo(ids(all.stream().filter(order -> order.owed)
                .collect(Collectors.toMap(order -> order.id, order -> "" + order.step))));
        pages();
        Known order = any();
        Order found = test.transact((connection, ledgerState) -> OrderRows.byKey(connection, MONTH,
                sale, order.user, order.key == null ? order.id.toString() : order.key));
        assertThat(found.id()).isEqualTo(order.id);
    }

    private static String ids(Map<UUID, String> suffixes) {
        String text = suffixes.entrySet().stream().map(entry -> entry.getKey()
                + entry.getValue()).sorted().collect(Collectors.joining(","));
        return text.isEmpty() ? null : text;
    }

    private String sums() {
        Map<String, long[]> sums = new TreeMap<>();
        for (Known order : all) {
            order.quantities.forEach((sku, units) -> {
                long[] sum = sums.computeIfAbsent(sku, key -> new long[6]);
                sum[0] += units;
                sum[switch (order.status) {
                    case RESERVED -> 1;
                    case CONFIRMED -> 2;
                    case EXPIRED -> 3;
                    default -> 4;
                }] += units;
                sum[5] += order.credited ? units : 0;
            });
        }
        sums.forEach((sku, sum) -> assertThat(test.sql("SELECT sold FROM items WHERE sku = '"
                + sku + "'")).isEqualTo(Long.toString(sum[1] + sum[2])));
        return sums.entrySet().stream().map(entry -> entry.getKey() + Arrays.stream(
                entry.getValue()).mapToObj(sum -> " " + sum).collect(Collectors.joining()))
                .collect(Collectors.joining("\n"));
    }

    /** All orders, read by pages, and each user's. */
    private void pages() {
        List<Order> read = new ArrayList<>();
        List<Order> page;
        Cursor[] after = {Cursor.START};
        do {
            page = test.transact((connection, ledgerState) ->
                    OrderRows.page(connection, MONTH, sale, after[0], 70));
            read.addAll(page);
            if (!page.isEmpty()) {
                Order last = page.get(page.size() - 1);
                after[0] = new Cursor(last.user(), last.id());
            }
        } while (!page.isEmpty());
        assertThat(read).hasSize(all.size()).allSatisfy(order -> {
            Known wanted = known.get(order.id());
            assertThat(order.status()).isEqualTo(wanted.status);
            assertThat(order.step()).isEqualTo(wanted.step);
            assertThat(order.quantities()).isEqualTo(wanted.quantities);
            assertThat(order.key()).isEqualTo(wanted.key);
        });
        List<Order> mine = test.transact((connection, ledgerState) ->
                OrderRows.ofUser(connection, MONTH, sale, "user1", 10));
        assertThat(mine).extracting(order -> order.id().toString()).isEqualTo(all.stream()
                .filter(order -> order.user.equals("user1")).map(order -> order.id.toString())
                .sorted(Comparator.reverseOrder()).limit(10).toList());
    }
}
