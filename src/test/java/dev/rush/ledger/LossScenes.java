package dev.rush.ledger;

import dev.rush.ledger.LossRows.Loss;
import java.util.List;
import java.util.Set;

/** The losses of one partition at a time, as scenes record and count them. */
abstract class LossScenes {
    final TestJournal test;
    int partition;

    LossScenes(TestJournal test, int firstPartition) {
        this.test = test;
        this.partition = firstPartition;
    }

    final void note(long low, long high, long sinceMs, long noticedAtMs) {
        note(low, high, sinceMs, noticedAtMs, sinceMs > 0, 0);
    }

    final void note(long low, long high, long sinceMs, long noticedAtMs, boolean exact,
            long tenureBegunMs) {
        test.transact((connection, ledgerState) -> {
            LossRows.note(connection, new LossRows.Report(partition, low, high, sinceMs,
                    noticedAtMs, exact, tenureBegunMs));
            return null;
        });
    }

    final List<Loss> losses() {
        return test.transact((connection, ledgerState) -> LossRows.open(connection, Set.of()))
                .stream().filter(loss -> loss.partition() == partition).toList();
    }

    final LossRows.Count count(Loss loss, long low) {
        return test.transact((connection, ledgerState) ->
                LossRows.count(connection, loss, low, List.of(TestJournal.MONTH)));
    }

    final void restored(Loss loss, boolean drained) {
        test.transact((connection, ledgerState) -> {
            LossRows.restored(connection, loss, drained);
            return null;
        });
    }
}
