package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.testing.Scene;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The promises of the SQL of open reservations and owed credits, each as a scene. */
final class WorkingSetSqlScenes {
    private static final long FAR = Long.MAX_VALUE;

    private final TestJournal test;
    private final TestSteps steps;

    WorkingSetSqlScenes(TestJournal test) {
        this.test = test;
        this.steps = new TestSteps(test);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I12: nothing expires while it is on hold or the ledger is behind", this::held);
        all.put("I12: reservations on hold are listed by sale and deadline", this::firstHeld);
        all.put("I11: credits are due in turn per partition, not while it is behind", this::due);
        all.put("reservations on hold are released in parts, by deadline", this::released);
        all.put("the earliest deadline of each partition is found", this::earliest);
        return all;
    }

    private void held() {
        String sale = test.sale("a:9:0");
        String other = test.sale("a:9:0");
        UUID kept = test.order(sale, "u", null, "a:1", 10);
        UUID paid = test.order(sale, "u", null, "a:1", 10);
        UUID elsewhere = test.order(other, "u", null, "a:1", 10);
        assertThat(steps.hold(1)).isZero();
        assertThat(steps.hold(0)).isEqualTo(3);
        UUID later = test.order(sale, "u", null, "a:1", 20);
        assertThat(steps.expired(FAR, 1)).as("they take nobody's turn").containsExactly(later);
        steps.confirm(sale, paid);
        assertThat(steps.heldOf(sale)).isEqualTo(1);
        assertThat(steps.release(sale, kept)).isTrue();
        assertThat(steps.release(sale, kept)).isFalse();
        assertThat(steps.heldOf(sale)).isZero();
        assertThat(steps.heldOf(other)).isEqualTo(1);
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        assertThat(steps.expired(FAR, 9)).as("behind").isEmpty();
        assertThatThrownBy(() -> test.ledger.transactIfSound(0, (connection, ledgerState) -> 1))
                .isInstanceOf(LedgerFailure.class);
        assertThat(test.ledger.<Integer>transactIfSound(1, (connection, ledgerState) -> 1))
                .isEqualTo(1);
        test.sql("UPDATE partitions SET behind_since = NULL");
        test.sql("UPDATE ledger SET server = 0");
        assertThat(steps.expired(FAR, 9)).as("not checked").isEmpty();
        assertThatThrownBy(() -> test.ledger.transactIfSound(1, (connection, ledgerState) -> 1))
                .isInstanceOf(LedgerFailure.class);
        test.check();
        assertThat(steps.expired(FAR, 9)).containsExactly(kept);
        assertThat(steps.release(other, elsewhere)).isTrue();
        assertThat(steps.expired(FAR, 9)).containsExactly(elsewhere);
        steps.clear();
    }

    private void released() {
        String sale = test.sale("a:9:0");
        UUID last = test.order(sale, "u", null, "a:1", 30);
        UUID first = test.order(sale, "u", null, "a:1", 10);
        UUID second = test.order(sale, "u", null, "a:1", 20);
        test.order(test.sale("a:9:0"), "u", null, "a:1", 10);
        steps.hold(0);
        UUID open = test.order(sale, "u", null, "a:1", 20);
        assertThat(steps.release(sale, 20, 1)).isEqualTo(new Reservations.Part(1, 20));
        assertThat(steps.expired(FAR, 9)).containsExactlyInAnyOrder(second, open);
        assertThat(steps.release(sale, 0, 9)).isEqualTo(new Reservations.Part(2, 30));
        assertThat(steps.expired(FAR, 9)).containsExactlyInAnyOrder(first, last);
        assertThat(steps.release(sale, 0, 9)).isEqualTo(new Reservations.Part(0, 0));
        steps.clear();
    }

    private void firstHeld() {
        String sale = test.sale("a:9:0");
        UUID second = test.order(sale, "u", null, "a:1", 20);
        UUID first = test.order(sale, "v", null, "a:1", 10);
        test.order(test.sale("a:9:0"), "u", null, "a:1", 5);
        steps.hold(0);
        test.order(sale, "w", null, "a:1", 5);
        assertThat(firstHeld(sale, 9)).containsExactly(new Reservations.Held(first, "v", 10),
                new Reservations.Held(second, "u", 20));
        assertThat(firstHeld(sale, 1)).extracting(Reservations.Held::order).containsExactly(first);
        steps.clear();
    }

    private List<Reservations.Held> firstHeld(String sale, int max) {
        return test.transact((connection, ledgerState) ->
                Reservations.firstHeld(connection, sale, max));
    }

    private void due() {
        String sale = test.sale("a:9:0");
        OwedCredit first = steps.giveBack(sale, test.order(sale, "u", null, "a:1", 0));
        OwedCredit second = steps.giveBack(sale, test.order(sale, "u", null, "a:2", 0));
        OwedCredit third = steps.giveBack(sale, test.order(sale, "u", null, "a:1", 0));
        test.sql("UPDATE credits SET partition = 1 WHERE order_id = '" + third.order() + "'");
        // In one transaction, whose time stands still.
        List<OwedCredit> due = test.transact((connection, ledgerState) -> {
            try (Statement update = connection.createStatement()) {
                update.execute("UPDATE credits SET since = since - interval '0.9 s'"
                        + " + (now() - (SELECT min(since) FROM credits))");
            }
            return OwedCredits.due(connection, ledgerState, List.of(0, 1), 9);
        });
        assertThat(due).as("new ones are being credited by their calls").isEmpty();
        test.sql("UPDATE credits SET since = since - interval '1 hour'");
        assertThat(steps.owed(1, 0, 1, 2)).containsExactly(first.order(), third.order());
        test.transact((connection, ledgerState) -> {
            OwedCredits.postpone(connection, List.of(first));
            return null;
        });
        assertThat(steps.owed(1, 0)).containsExactly(second.order());
        test.sql("UPDATE credits SET since = since - interval '1 minute'");
        assertThat(steps.owed(9, 0)).containsExactly(second.order(), first.order());
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 1");
        assertThat(steps.owed(1, 0, 1)).containsExactly(second.order());
        test.sql("UPDATE partitions SET behind_since = NULL");
        test.sql("UPDATE ledger SET server = 0");
        assertThat(steps.owed(9, 0, 1)).isEmpty();
        test.check();
        steps.clear();
    }

    private void earliest() {
        String sale = test.sale("a:9:0");
        test.order(sale, "u", null, "a:1", 30);
        test.order(sale, "u", null, "a:1", 20);
        Map<Integer, Long> all = test.transact((connection, ledgerState) ->
                Reservations.earliest(connection, List.of(0, 1), 0));
        assertThat(all).containsExactly(Map.entry(0, 20L));
        Map<Integer, Long> above = test.transact((connection, ledgerState) ->
                Reservations.earliest(connection, List.of(0, 1), 21));
        assertThat(above).containsExactly(Map.entry(0, 30L));
        assertThat(steps.hold(0, 0, 1)).isEqualTo(new Reservations.Part(1, 20));
        assertThat(steps.hold(0, 30, 9)).isEqualTo(new Reservations.Part(1, 30));
        steps.hold(0);
        Map<Integer, Long> held = test.transact((connection, ledgerState) ->
                Reservations.earliest(connection, List.of(0), 0));
        assertThat(held).isEmpty();
        steps.clear();
    }
}
