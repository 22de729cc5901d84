package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.ProblemException;
import dev.rush.ledger.OwedCredit;
import dev.rush.reconciliation.report.Verdict;
import dev.rush.redis.cluster.Tenure;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A sale that Redis lost is rebuilt from the ledger. */
class RebuildTest extends RepairScene {

    @Test
    void lostSaleIsRebuiltFromItsPages() {
        test.order(sale, "u1", "k1", "apple:1", 0);
        UUID returned = test.order(sale, "u2", null, "apple:2", 0);
        OwedCredit owed = giveBack(returned);
        test.order(sale, "u2", "k2", "apple:1", 9);
        reject("u3", "apple:3", 2);
        UUID failed = UUID.randomUUID();
        fail("u4", failed, 1);
        test.sql("INSERT INTO returns (id, sale, user_id, key, state, actor) VALUES ("
                + "gen_random_uuid(), '" + sale + "', 'u1', 'k1', 'void', 'buyer:u1'), ("
                + "gen_random_uuid(), '" + sale + "', 'u5', 'k5', 'void', 'buyer:u5')");
        redis.command("DEL", key("stock"), key("buyers"));
        assertThat(rebuild.rebuild(sale, MONTH, shards())).isEqualTo(5);
        assertThat(stock("total")).isEqualTo(9);
        assertThat(stock("ordered")).isEqualTo(1 + 1 + 3 + 1);
        assertThat(stock("credited")).isEqualTo(2);
        assertThat(record("u2").lines()).hasSize(2);
        assertThat(record("u3")).startsWith("r ");
        assertThat(record("u4")).startsWith("a " + failed);
        assertThat(record("u1")).doesNotContain("t k1");
        assertThat(record("u5")).isEqualTo("t k5\n");
        assertThat(report.books.of(sale).verdict()).isEqualTo(Verdict.BALANCED);
        credited(owed);
        assertThat(report.books.of(sale).verdict()).isEqualTo(Verdict.BALANCED);
        assertThat(test.sql("SELECT action FROM audit WHERE subject = '" + sale + "'"))
                .isEqualTo("sale.rebuilt");
        assertThat(rebuild.rebuild(sale, MONTH, shards())).as("complete by now").isZero();
        test.sql("DELETE FROM retries");
    }

    @Test
    @DisplayName("I6: numbers that a rebuild skips belong to a tenure that begins below them")
    void tenureBeginsBeforeTheSequenceIsRaised() {
        redis.command("DEL", key("stock"), PARTITION.key("seq"), PARTITION.key("tenures"));
        test.sql("DELETE FROM skipped_numbers");
        test.sql("UPDATE partitions SET seq = 12 WHERE partition = " + PARTITION.index());

        rebuild.rebuild(sale, MONTH, shards());

        assertThat(redis.text("GET", PARTITION.key("seq"))).isEqualTo("12");
        Tenure tenure = Tenure.parse(redis.text("LINDEX", PARTITION.key("tenures"), "0"));
        assertThat(tenure.low()).isZero();
        assertThat(tenure.begunMs()).isLessThanOrEqualTo(
                Long.parseLong(test.sql("SELECT at_ms FROM skipped_numbers")));
    }

    @Test
    void saleWithoutRoomForRejectedOrdersIsRebuiltWithoutThem() {
        test.order(sale, "u1", null, "apple:8", 0);
        reject("u2", "apple:2", 2);
        redis.command("DEL", key("stock"));
        rebuild.rebuild(sale, MONTH, shards());
        assertThat(stock("ordered")).isEqualTo(8);
        assertThat(test.sql("SELECT sum(settled) FROM sums WHERE sale = '" + sale + "'"))
                .isEqualTo("2");
        assertThat(report.books.of(sale).verdict()).isEqualTo(Verdict.BALANCED);
    }

    @Test
    void saleIsNotRebuiltWhileItsOrdersWait() {
        redis.command("DEL", key("stock"));
        redis.command("XADD", "rush:{" + PARTITION.tag() + "}:orders", "*", "purchase", sale
                + " 1 0 1 1 u " + UUID.randomUUID() + " key = apple:3 1");
        assertThatThrownBy(() -> hasty().rebuild(sale, MONTH, shards()))
                .isInstanceOf(ProblemException.class);
        assertThat(redis.number("EXISTS", key("stock"))).isZero();
    }

    /** They are needed to refill the ledger if it is replaced by one that lacks commits. */
    @Test
    @DisplayName("I14: records are kept until the ledger has everything that waits")
    void recordsAreKeptWhileOrdersWait() {
        String stream = "rush:{" + PARTITION.tag() + "}:orders";
        test.order(sale, "u", "k", "apple:1", 0);
        restorer.restore(sale, MONTH, shards());
        String record = record("u");
        redis.command("DEL", key("stock"));
        redis.command("XADD", stream, "*", "purchase", sale + " 1 0 1 1 v " + UUID.randomUUID()
                + " key = apple:3 1");
        assertThatThrownBy(() -> hasty().rebuild(sale, MONTH, shards()))
                .isInstanceOf(ProblemException.class);
        assertThat(record("u")).isEqualTo(record).startsWith("a ");

        redis.command("XTRIM", stream, "MAXLEN", "0");
        assertThat(hasty().rebuild(sale, MONTH, shards())).isEqualTo(1);
        assertThat(report.books.of(sale).verdict()).isEqualTo(Verdict.BALANCED);
    }

    /** The ledger still has the sale as paused, though it was resumed before Redis lost it. */
    @Test
    void saleIsNotRebuiltWhileItsChangesWait() {
        redis.command("DEL", key("stock"));
        redis.command("XADD", "rush:{" + PARTITION.tag() + "}:control", "*", "change",
                UUID.randomUUID() + " sale " + sale + " resume 2 1 operator:o 1 0");
        assertThatThrownBy(() -> hasty().rebuild(sale, MONTH, shards()))
                .isInstanceOf(ProblemException.class);
        assertThat(redis.number("EXISTS", key("stock"))).isZero();

        redis.command("XTRIM", "rush:{" + PARTITION.tag() + "}:control", "MAXLEN", "0");
        hasty().rebuild(sale, MONTH, shards());
        assertThat(redis.number("EXISTS", key("stock"))).isOne();
    }
}
