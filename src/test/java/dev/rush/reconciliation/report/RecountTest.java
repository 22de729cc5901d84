package dev.rush.reconciliation.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.Actor;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.OwedCredit;
import dev.rush.ledger.Payment;
import dev.rush.ledger.Steps;
import dev.rush.ledger.Sums.Column;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Environments;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Sums are compared with rows, on a real PostgreSQL. */
class RecountTest {
    private static final Place APPLE = new Place(0, "a");
    private static final Actor ACTOR = Actor.service("test");
    private static TestJournal test;

    @BeforeAll
    static void start() {
        test = new TestJournal(Environments.ledger().freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        test.close();
    }

    private static Recount ofSale(String sale) {
        return test.ledger.readSnapshot((connection, ledgerState) ->
                Recount.ofSale(connection, sale, TestJournal.MONTH, nanos -> { }));
    }

    private static Recount ofRain(String rain) {
        return test.ledger.readSnapshot((connection, ledgerState) ->
                Recount.ofRain(connection, rain, TestJournal.MONTH, nanos -> { }));
    }

    private static OwedCredit giveBack(String sale, UUID order) {
        return test.transact((connection, ledgerState) -> Steps.giveBack(connection, ledgerState,
                test.find(sale, order), ACTOR, null));
    }

    @Test
    void sumsEqualTheirRows() {
        String sale = test.sale("a:99:0", "b:99:0");
        test.order(sale, "u1", null, "a:1,b:5", 0);
        test.order(sale, "u2", null, "a:2", 9);
        UUID paid = test.order(sale, "u3", null, "a:4", 9);
        UUID owed = test.order(sale, "u4", null, "a:8", 9);
        UUID credited = test.order(sale, "u4", null, "a:16", 0);
        test.transact((connection, ledgerState) -> {
            Steps.confirm(connection, ledgerState, test.find(sale, paid), ACTOR, Payment.NONE);
            return null;
        });
        giveBack(sale, owed);
        OwedCredit credit = giveBack(sale, credited);
        test.transact((connection, ledgerState) -> {
            Steps.credited(connection, ledgerState, List.of(credit),
                    Map.of(credited, "credited"));
            return null;
        });
        Recount recount = ofSale(sale);
        assertThat(recount.rows()).isEqualTo(recount.sums()).containsEntry(APPLE, Units.NONE
                .plus(Column.STORED, 31).plus(Column.RESERVED, 2).plus(Column.CONFIRMED, 5)
                .plus(Column.RETURNED, 24).plus(Column.CREDITED, 16));
        assertThat(recount.drift()).isZero();
        assertThat(recount.stored()).isEqualTo(36);
    }

    @Test
    void manualChangesAreFound() {
        String sale = test.sale("a:99:0");
        UUID order = test.order(sale, "u", null, "a:3", 0);
        assertThat(ofSale(sale).drift()).isZero();
        test.sql("UPDATE sums SET confirmed = confirmed + 1 WHERE sale = '" + sale + "'");
        assertThat(ofSale(sale).drift()).isEqualTo(1);
        test.sql("UPDATE sums SET confirmed = confirmed - 1 WHERE sale = '" + sale + "'");
        test.sql("UPDATE orders SET lines = 'a:5' WHERE id = '" + order + "'");
        assertThat(ofSale(sale).drift()).isEqualTo(4);
        test.sql("UPDATE orders SET lines = 'b:3' WHERE id = '" + order + "'");
        assertThat(ofSale(sale).drift()).isEqualTo(12);
    }

    @Test
    void rejectedAndSettledOrdersAreRecounted() {
        String sale = test.sale("a:99:0");
        UUID order = test.order(sale, "u", null, "a:3", 0);
        test.sql("INSERT INTO rejected SELECT gen_random_uuid(), month, block, 2, 100,"
                + " pay_by_ms, partition, sale, user_id, key, digest, 'a:' || i, lefts, NULL,"
                + " 'limit'"
                + " FROM orders, unnest(ARRAY[5, 7]) AS i WHERE id = '" + order + "'");
        test.sql("INSERT INTO steps (month, order_id, step, kind, epoch, partition, sale, actor)"
                + " SELECT month, id, 1, 'settled', 1, 0, sale, 'service:test' FROM rejected"
                + " WHERE sale = '" + sale + "' AND lines = 'a:7'");
        test.sql("UPDATE sums SET rejected = 12, settled = 7 WHERE sale = '" + sale + "'");
        assertThat(ofSale(sale).drift()).isZero();
        test.sql("DELETE FROM steps WHERE kind = 'settled'");
        assertThat(ofSale(sale).drift()).isEqualTo(7);
    }

    @Test
    void unchangedSalesAreNotRecounted() {
        test.sql("UPDATE sales SET state = 'retired'");
        test.sql("UPDATE rains SET state = 'retired'");
        String sale = test.sale("a:99:0");
        UUID order = test.order(sale, "u", null, "a:3", 0);
        test.sql("DELETE FROM leader_leases");
        SimpleMeterRegistry metrics = new SimpleMeterRegistry();
        Recounts recounts = new Recounts(test.ledger,
                new LeaderLease(test.ledger, () -> false, Set::of), Duration.ofHours(1), metrics);
        recounts.round();
        assertThat(metrics.get("rush.books.recount.drift").gauge().value()).isZero();
        test.sql("UPDATE orders SET lines = 'a:5' WHERE id = '" + order + "'");
        recounts.round();
        assertThat(metrics.get("rush.books.recount.drift").gauge().value()).isZero();
        test.order(sale, "u", null, "a:1", 0);
        recounts.round();
        assertThat(metrics.get("rush.books.recount.drift").gauge().value()).isEqualTo(4);
        assertThat(recounts.drift(sale, true)).isEqualTo(4);
        assertThat(test.sql("SELECT drift || ' ' || stored FROM recounts WHERE subject = '" + sale
                + "'")).isEqualTo("4 6");
        test.sql("DELETE FROM leader_leases");
        SimpleMeterRegistry others = new SimpleMeterRegistry();
        new Recounts(test.ledger, new LeaderLease(test.ledger, () -> false, Set::of),
                Duration.ofHours(1), others).poll();
        assertThat(others.get("rush.books.recount.drift").gauge().value())
                .as("of another pod, by what was counted").isEqualTo(4);
    }

    @Test
    void roundEndsOnceItsLeaseIsLost() {
        test.sql("UPDATE sales SET state = 'retired'");
        test.sql("UPDATE rains SET state = 'retired'");
        test.sale("a:99:0");
        test.sale("a:99:0");
        test.sql("DELETE FROM recounts");
        test.sql("DELETE FROM leader_leases");
        test.sql("INSERT INTO leader_leases (task, holder, until)"
                + " VALUES ('recount', 'another pod', now() + interval '1 day')");
        SimpleMeterRegistry metrics = new SimpleMeterRegistry();
        new Recounts(test.ledger, new LeaderLease(test.ledger, () -> false, Set::of),
                Duration.ofHours(1), metrics).round();
        test.sql("DELETE FROM leader_leases");
        assertThat(test.sql("SELECT count(*) FROM recounts")).isEqualTo("1");
        assertThat(metrics.find("rush.books.recount.drift").gauge()).isNull();
    }

    /** More than a page of orders, many of one user. */
    @Test
    void pagesSkipNoOrder() {
        String sale = test.sale("a:99999:0");
        UUID order = test.order(sale, "u", null, "a:1", 0);
        test.sql("INSERT INTO orders SELECT gen_random_uuid(), month, block, seq, placed_at_ms,"
                + " pay_by_ms, partition, sale, 'u' || i % 3, key, digest, lines, lefts"
                + " FROM orders, generate_series(1, 12000) AS i WHERE id = '" + order + "'");
        assertThat(ofSale(sale).stored()).isEqualTo(12_001);
    }

    @Test
    void rainIsRecountedInEnvelopesAndMoney() {
        String rain = test.id("rain");
        test.sql("INSERT INTO rains (rain, month, partition, definition, state, envelopes,"
                + " amount, limit_per_user, granted, granted_amount, rejected, rejected_amount)"
                + " VALUES ('" + rain + "', " + TestJournal.MONTH
                + ", 0, '{}', 'loaded', 9000, 90000, 1, 6000, 18000, 1, 4)");
        test.sql("INSERT INTO grabs SELECT gen_random_uuid(), " + TestJournal.MONTH
                + ", 1, i, 1, i, 1, 3, 0, '" + rain + "', 'u' || i, NULL"
                + " FROM generate_series(1, 6000) AS i");
        test.sql("INSERT INTO rejected_grabs SELECT gen_random_uuid(), " + TestJournal.MONTH
                + ", 1, 7000, 1, 7000, 1, 4, 0, '" + rain + "', 'u', NULL, 'limit'");
        assertThat(ofRain(rain).drift()).isZero();
        test.sql("DELETE FROM grabs WHERE rain = '" + rain + "' AND number = 7");
        assertThat(ofRain(rain).drift()).isEqualTo(2 + 6);
        test.sql("DELETE FROM rejected_grabs WHERE rain = '" + rain + "'");
        assertThat(ofRain(rain).drift()).isEqualTo(8 + 5);
    }
}
