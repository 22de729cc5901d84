package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.LossRows;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The ledger lost commits, and Redis is emptied before they are restored from it. */
class LostNumbersTest extends RepairScene {
    private final BehindCheck check = new BehindCheck(test.ledger, gate.commands, PARTITIONS,
            offers, new LeaderLease(test.ledger, () -> false, Set::of), test.config,
            new SimpleMeterRegistry());

    @BeforeEach
    void losesBoth() {
        test.sql("UPDATE partitions SET seq = 10, had_seq = 0, behind_since = NULL");
        test.sql("DELETE FROM duties");
        redis.command("HSET", PARTITION.key("ledger"), "seq", "12", "epoch", "1");
        startPostgres();
        redis.command("DEL", PARTITION.key("ledger"));
        startPostgres();
    }

    private void startPostgres() {
        test.sql("UPDATE ledger SET server = 0");
        check.round();
    }

    @Test
    @DisplayName("I6: the lost numbers are known, so that they can be counted")
    void numbersAreKnown() {
        Map<Integer, Long> known = test.transact((connection, ledgerState) ->
                LossRows.lastKnownSeqs(connection));
        assertThat(known).containsEntry(PARTITION.index(), 12L);
        Map<Integer, Long> stored = test.transact((connection, ledgerState) ->
                LossRows.lastSeqs(connection));
        assertThat(stored).containsEntry(PARTITION.index(), 10L);
    }

    @Test
    @DisplayName("I6: lost numbers are forgotten once a loss includes all of them")
    void numbersAreCountedOnce() {
        for (long[] loss : new long[][] {{11, 12}, {0, 11}, {0, 12}}) {
            assertThat(test.sql("SELECT had_seq FROM partitions WHERE partition = "
                    + PARTITION.index())).isEqualTo("12");
            test.transact((connection, ledgerState) -> {
                LossRows.note(connection, PARTITION.index(), loss[0], loss[1], 0, 1);
                return null;
            });
        }
        assertThat(test.sql("SELECT had_seq FROM partitions WHERE partition = "
                + PARTITION.index())).isEqualTo("0");
    }

    @Test
    @DisplayName("I6: a rebuilt sale does not give out the lost numbers again")
    void numbersAreNotReused() {
        RebuiltSale rebuilt = test.transact((connection, ledgerState) ->
                RebuiltSale.read(connection, sale));
        assertThat(rebuilt.seq(PARTITION)).isEqualTo(12);
    }
}
