package dev.rush.reconciliation.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.TestJournal;
import dev.rush.reconciliation.report.ReportParts;
import dev.rush.reconciliation.report.TaggedRedis;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Environments;
import dev.rush.testing.ScriptedRedis;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Retiring sales leave Redis one after the other, even if the Redis of one fails. */
class RetentionRoundsTest {
    private static final Partitions PARTITIONS = new Partitions(8);
    private static TestJournal test;
    private static TaggedRedis redis;

    private final Set<Integer> refused = new HashSet<>();

    @BeforeAll
    static void start() {
        test = new TestJournal(Environments.ledger().freshDatabase());
        redis = new TaggedRedis(ScriptedRedis.text("retired"));
    }

    @AfterAll
    static void stop() throws Exception {
        redis.close();
        test.close();
    }

    @BeforeEach
    void clear() {
        test.sql("DELETE FROM leader_leases");
        test.sql("UPDATE sales SET state = 'archived'");
        redis.forget();
    }

    private RetentionJob job() {
        LeaderLease lease = new LeaderLease(test.ledger, () -> false, () -> refused);
        ReportParts parts = new ReportParts(test, redis.commands(), PARTITIONS, lease);
        return new RetentionJob(test.ledger, parts.books, parts.rains, parts.recounts,
                redis.commands(), PARTITIONS, parts.offers, lease, test.config);
    }

    private static String retiring() {
        String sale = test.sale("a:9:0");
        test.sql("UPDATE sales SET state = 'retiring', retired_at = now() - interval '1 hour',"
                + " partitions = '{" + PARTITIONS.of(sale).index() + "}' WHERE sale = '" + sale
                + "'");
        return sale;
    }

    private static String state(String sale) {
        return test.sql("SELECT state FROM sales WHERE sale = '" + sale + "'");
    }

    @Test
    @DisplayName("I14: a sale that cannot leave Redis now does not hold up others")
    void salesLeavePastOneThatFails() {
        List<String> sales = Stream.generate(RetentionRoundsTest::retiring).limit(8).toList();
        Partition dead = PARTITIONS.of(sales.get(3));
        redis.fail(dead);
        job().round();
        assertThat(sales).allSatisfy(sale -> assertThat(state(sale)).isEqualTo(
                PARTITIONS.of(sale).equals(dead) ? "retiring" : "retired"));
    }

    @Test
    @DisplayName("X7: a pod that refuses partitions skips every other round")
    void everyOtherRoundIsLeftToAnotherPod() {
        Partition dead = PARTITIONS.of(retiring());
        redis.fail(dead);
        refused.add((dead.index() + 1) % PARTITIONS.count());
        RetentionJob refusing = job();
        for (boolean works : new boolean[] {true, false, true, false}) {
            redis.forgetCalls();
            refusing.round();
            assertThat(redis.wasCalled(dead)).isEqualTo(works);
            assertThat(test.sql("SELECT holder FROM leader_leases WHERE until > now()"
                    + " AND task = 'retirement'")).isNull();
        }
    }
}
