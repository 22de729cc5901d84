package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.LeaderLease;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Numbers of orders that the ledger lost, and then Redis before they were restored from it. */
class LostNumbersTest extends RepairScene {
    private static final String LOSSES =
            "SELECT string_agg(low || ' ' || high, ', ' ORDER BY low) FROM losses";

    private final Refill refill = refill();
    private final BehindCheck check = new BehindCheck(test.ledger, gate.commands, PARTITIONS,
            offers, new LeaderLease(test.ledger, () -> false, Set::of), test.config,
            new SimpleMeterRegistry());

    @BeforeEach
    void fallBehind() {
        test.sql("UPDATE partitions SET seq = 10, had_seq = 0, behind_since = NULL");
        test.sql("DELETE FROM leader_leases");
        test.sql("DELETE FROM losses");
        test.sql("UPDATE sales SET state = 'retired' WHERE sale <> '" + sale + "'");
        redis.command("HSET", PARTITION.key("ledger"), "seq", "12", "epoch", "1");
        test.sql("UPDATE ledger SET server = 0");
        check.round();
        test.sql("DELETE FROM leader_leases");
    }

    private void emptyRedis() {
        redis.command("DEL", PARTITION.key("ledger"));
    }

    private static String had() {
        return test.sql("SELECT had_seq FROM partitions WHERE partition = 0");
    }

    @Test
    @DisplayName("I6: numbers that both stores lost are a loss, noted once")
    void bothLost() {
        assertThat(had()).isEqualTo("12");
        emptyRedis();
        refill.round();
        assertThat(test.sql(LOSSES)).isEqualTo("0 12");
        assertThat(had()).isEqualTo("0");
    }

    @Test
    @DisplayName("I6: another loss of higher numbers does not hide them")
    void beyondAnotherLoss() {
        test.sql("INSERT INTO losses (partition, low, high, since_ms, noticed_at_ms)"
                + " VALUES (0, 14, 20, 5, 6)");
        emptyRedis();
        refill.round();
        assertThat(test.sql(LOSSES)).isEqualTo("0 12, 14 20");
    }

    @Test
    @DisplayName("I6: numbers that Redis still has are no loss")
    void restored() {
        refill.round();
        assertThat(test.sql(LOSSES)).isNull();
        assertThat(had()).isEqualTo("0");
    }
}
