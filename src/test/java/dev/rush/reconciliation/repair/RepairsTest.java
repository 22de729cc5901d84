package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.OutcomeCode;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Actor;
import dev.rush.ledger.LeaderLease;
import dev.rush.order.StockReturned;
import dev.rush.reconciliation.repair.Repairs.Report;
import dev.rush.reconciliation.report.Verdict;
import dev.rush.redis.Shards;
import jakarta.enterprise.event.Event;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The repairs that an operator requests. */
class RepairsTest extends RepairScene {
    private static final Actor ACTOR = new Actor("operator:ann");

    private Runnable whenReturned = () -> { };
    private final Repairs repairs = repairs(rebuild);

    private Repairs repairs(Rebuild rebuild) {
        return repairs(rebuild, requeue);
    }

    private Repairs repairs(Rebuild rebuild, Requeue requeue) {
        return new Repairs(report.books, rebuild, restorer, requeue, test.ledger,
                new Corrections(test.ledger, gate.commands, null), report.offers, null,
                new LeaderLease(test.ledger, () -> false, Set::of), event());
    }

    @SuppressWarnings("unchecked")
    private Event<StockReturned> event() {
        return (Event<StockReturned>) Proxy.newProxyInstance(Event.class.getClassLoader(),
                new Class<?>[] {Event.class}, (self, method, arguments) -> {
                    whenReturned.run();
                    return null;
                });
    }

    private String audited() {
        return test.sql("SELECT count(*) FROM audit WHERE actor = 'operator:ann' AND subject = '"
                + sale + "' AND action = 'sale.repaired'");
    }

    @Test
    void balancedBooksAreLeftAlone() {
        Report done = repairs.repair(sale, ACTOR);
        assertThat(done.actions()).isEmpty();
        assertThat(done.before()).isEqualTo(Verdict.BALANCED);
        assertThat(audited()).isEqualTo("0");
        assertThat(repairs.repair("no-sale", ACTOR)).isNull();
    }

    @Test
    void unitsOfNoOrderAreReturned() {
        redis.command("HSET", key("stock"), "apple:ordered", "2");
        Report done = repairs.repair(sale, ACTOR);
        assertThat(done.before()).isEqualTo(Verdict.UNDERSOLD);
        assertThat(done.actions())
                .containsExactly(new RepairAction("units-returned", "apple", 2));
        assertThat(done.books().verdict()).isEqualTo(Verdict.BALANCED);
        assertThat(audited()).isEqualTo("1");
    }

    @Test
    void rejectedOrdersReplaceLostDeductionsFirst() {
        reject("u1", "apple:2", 2);
        redis.command("HSET", key("buyers"), "u1", "a " + test.sql("SELECT id FROM rejected WHERE"
                + " sale = '" + sale + "'") + "  = apple:2 1 1 0 0\n");
        test.order(sale, "u2", null, "apple:3", 0);
        redis.command("HSET", key("buyers"), "u2", "a " + test.sql("SELECT id FROM orders WHERE"
                + " sale = '" + sale + "'") + "  = apple:3 1 1 0 0\n");
        redis.command("HSET", key("stock"), "apple:ordered", "2");
        Report done = repairs.repair(sale, ACTOR);
        assertThat(done.before()).isEqualTo(Verdict.OVERSOLD);
        assertThat(done.actions()).containsExactly(
                new RepairAction("rejected-settled", "apple", 2),
                new RepairAction("units-deducted", "apple", 1));
        assertThat(done.books().verdict()).isEqualTo(Verdict.BALANCED);
    }

    @Test
    void totalIsSetToTheLedgers() {
        test.sql("UPDATE items SET total = 12 WHERE sale = '" + sale + "'");
        Report done = repairs.repair(sale, ACTOR);
        assertThat(done.actions())
                .containsExactly(new RepairAction("total-corrected", "apple", 12));
        assertThat(stock("total")).isEqualTo(12);
    }

    @Test
    void unitsTakenBackBeyondTheLedgersTotalLeaveTheTotal() {
        reject("u1", "apple:4", 2);
        redis.command("HSET", key("buyers"), "u1", "a " + test.sql("SELECT id FROM rejected WHERE"
                + " sale = '" + sale + "'") + "  = apple:4 1 1 0 0\n");
        test.order(sale, "u2", null, "apple:3", 0);
        redis.command("HSET", key("buyers"), "u2", "a " + test.sql("SELECT id FROM orders WHERE"
                + " sale = '" + sale + "'") + "  = apple:3 1 1 0 0\n");
        redis.command("HSET", key("stock"), "apple:ordered", "7");
        test.sql("UPDATE items SET total = 5 WHERE sale = '" + sale + "'");
        Report done = repairs.repair(sale, ACTOR);
        assertThat(done.before()).isEqualTo(Verdict.OVERSOLD);
        assertThat(done.actions()).containsExactly(
                new RepairAction("rejected-settled", "apple", 4),
                new RepairAction("units-returned", "apple", 4),
                new RepairAction("total-corrected", "apple", 5));
        assertThat(stock("total")).isEqualTo(5);
        assertThat(stock("ordered")).isEqualTo(3);
        assertThat(done.books().verdict()).isEqualTo(Verdict.BALANCED);
    }

    @Test
    void moreThanAPageOfRejectedOrdersIsSettled() {
        int orders = 2_050;
        test.sql("INSERT INTO rejected SELECT gen_random_uuid(), " + MONTH + ", 1, n, 1, 0, 0, '"
                + sale + "', 'u' || n, NULL, '=', 'apple:1', '1', NULL, 'limit'"
                + " FROM generate_series(1, " + orders + ") n");
        test.sql("INSERT INTO sums (sale, partition, sku, slot, rejected) VALUES ('" + sale
                + "', 0, 'apple', 0, " + orders + ")");
        Report done = repairs.repair(sale, ACTOR);
        assertThat(done.actions()).containsExactly(
                new RepairAction("orders-restored", null, orders),
                new RepairAction("rejected-settled", "apple", orders - 9));
        assertThat(stock("ordered")).as("those that are left hold all units").isEqualTo(9);
        assertThat(done.books().verdict()).isEqualTo(Verdict.BALANCED);
    }

    @Test
    @DisplayName("A repair is refused as unavailable while the ledger may be behind; it changes"
            + " nothing")
    void ledgerThatMayBeBehindIsNotRepairedFrom() {
        redis.command("DEL", key("stock"));
        test.sql("UPDATE partitions SET behind_since = now()");
        assertThatThrownBy(() -> test.ledger.run(() -> repairs.repair(sale, ACTOR)).join())
                .cause().isInstanceOfSatisfying(ProblemException.class, thrown ->
                        assertThat(thrown.problem().code()).isEqualTo(OutcomeCode.UNAVAILABLE));
        assertThat(redis.number("EXISTS", key("stock"))).isZero();
        assertThat(audited()).isEqualTo("0");
    }

    @Test
    @DisplayName("A repair that has cleared a sale whose orders still wait never says that nothing"
            + " happened")
    void clearedSaleWhoseOrdersWait() {
        redis.command("DEL", key("stock"));
        redis.command("XADD", "rush:{" + PARTITION.tag() + "}:orders", "*", "purchase", sale
                + " 1 0 1 1 u " + UUID.randomUUID() + " key = apple:3 1");
        assertThatThrownBy(() -> repairs(hasty()).repair(sale, ACTOR))
                .isInstanceOfSatisfying(ProblemException.class, thrown -> {
                    assertThat(thrown.problem().code()).isEqualTo(OutcomeCode.OUTCOME_UNKNOWN);
                    assertThat(thrown.problem().detail()).contains("still wait for the ledger");
                });
    }

    @Test
    @DisplayName("I6: a repair during which PostgreSQL fails over corrects nothing")
    void failoverDuringARepair() {
        test.order(sale, "u", null, "apple:2", 0);
        redis.command("HSET", key("stock"), "apple:ordered", "3");
        Requeue failing = new Requeue(test.ledger, gate.commands, report.streams, test.config) {

            @Override
            long requeue(String sale, int month, Shards shards) {
                test.sql("DELETE FROM orders WHERE sale = '" + sale + "'");
                test.sql("DELETE FROM sums WHERE sale = '" + sale + "'");
                test.sql("UPDATE ledger SET server = 0");
                return 0;
            }
        };
        try {
            assertThatThrownBy(() -> repairs(rebuild, failing).repair(sale, ACTOR))
                    .isInstanceOfSatisfying(ProblemException.class, thrown ->
                            assertThat(thrown.problem().code())
                                    .isEqualTo(OutcomeCode.OUTCOME_UNKNOWN));
        } finally {
            test.sql("UPDATE ledger SET server = (extract(epoch FROM pg_postmaster_start_time())"
                    + " * 1000000)::bigint");
        }
        assertThat(stock("ordered")).as("nothing is given back").isEqualTo(5);
    }

    @Test
    void repairInterruptedByTheLedgerCanBeRepeatedAtOnce() {
        redis.command("HSET", key("stock"), "apple:ordered", "2");
        whenReturned = () -> {
            test.sql("ALTER TABLE audit RENAME TO audit_away");
            test.sql("ALTER TABLE leader_leases RENAME TO leader_leases_away");
        };
        try {
            assertThatThrownBy(() -> repairs.repair(sale, ACTOR))
                    .isInstanceOfSatisfying(ProblemException.class, thrown ->
                            assertThat(thrown.problem().code())
                                    .isEqualTo(OutcomeCode.OUTCOME_UNKNOWN));
        } finally {
            test.sql("ALTER TABLE audit_away RENAME TO audit");
            test.sql("ALTER TABLE leader_leases_away RENAME TO leader_leases");
        }
        assertThat(audited()).isEqualTo("0");
        assertThat(test.sql("SELECT concat_ws(' ', actor, action, before) FROM audit WHERE subject"
                + " = '" + sale + "'")).isEqualTo(
                "operator:ann sale.repair-begun \"undersold\"");
        whenReturned = () -> { };
        redis.command("HSET", key("stock"), "apple:ordered", "2");
        assertThat(repairs.repair(sale, ACTOR).books().verdict()).isEqualTo(Verdict.BALANCED);
    }

    @Test
    void lostSaleIsRebuilt() {
        test.order(sale, "u", null, "apple:3", 0);
        redis.command("DEL", key("stock"));
        Report done = repairs.repair(sale, ACTOR);
        assertThat(done.before()).isEqualTo(Verdict.NOT_LOADED);
        assertThat(done.actions()).containsExactly(new RepairAction("rebuilt", null, 1));
        assertThat(done.books().verdict()).isEqualTo(Verdict.BALANCED);
    }
}
