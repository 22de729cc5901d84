package dev.rush.reconciliation.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.TestJournal;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.ScriptedRedis;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which pod checks the books if one does not support the layout of some partitions. */
class BookRoundsTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Partitions PARTITIONS = new Partitions(8);

    private final Set<Integer> refused = new HashSet<>();
    private TestJournal test;

    private ReconciliationJob job(TaggedRedis redis, Set<Integer> unknown) {
        LeaderLease lease = new LeaderLease(test.ledger, () -> false, () -> unknown);
        ReportParts parts = new ReportParts(test, redis.commands(), PARTITIONS, lease);
        return new ReconciliationJob(test.ledger, parts.offers, parts.books, parts.rains, lease,
                parts.snapshots, parts.streams, (partition, stored, seq, redisMs) -> { },
                test.config, new SimpleMeterRegistry());
    }

    private Partition partitionOfASale() {
        String sale = test.sale("a:9:0");
        Partition partition = PARTITIONS.of(sale);
        test.sql("UPDATE sales SET partitions = '{" + partition.index() + "}' WHERE sale = '"
                + sale + "'");
        return partition;
    }

    private Partition partitionBeside(Partition taken) {
        Partition partition = partitionOfASale();
        return partition.equals(taken) ? partitionBeside(taken) : partition;
    }

    private boolean isHeld() {
        return test.sql("SELECT holder FROM leader_leases WHERE until > now() AND task = 'books'")
                != null;
    }

    @Test
    @DisplayName("B1, X7: the books of partitions that a pod refuses are left to another pod")
    void booksOfRefusedPartitionsAreLeftToAnotherPod() throws Exception {
        try (TestJournal journal = new TestJournal(Environments.ledger().freshDatabase());
                TaggedRedis redis = new TaggedRedis(ScriptedRedis.error("LAYOUT 96"))) {
            test = journal;
            Partition unknown = partitionOfASale();
            Partition known = partitionBeside(unknown);
            job(redis, Set.of()).round();
            assertThat(redis.wasCalled(known) && redis.wasCalled(unknown)).isTrue();
            assertThat(isHeld()).as("by a pod that can read all partitions").isTrue();

            test.sql("DELETE FROM leader_leases");
            redis.forgetCalls();
            refused.add(unknown.index());
            ReconciliationJob refusing = job(redis, refused);
            refusing.round();
            assertThat(redis.wasCalled(known)).isTrue();
            assertThat(redis.wasCalled(unknown)).isFalse();
            assertThat(isHeld()).isFalse();
            redis.forgetCalls();
            Await.until("it checks again, because no other pod does", SOON, () -> {
                refusing.round();
                return redis.wasCalled(known);
            });
            job(redis, Set.of()).round();
            assertThat(redis.wasCalled(unknown)).isTrue();
            assertThat(isHeld()).isTrue();
        }
    }
}
