package dev.rush.reconciliation.retention;

import dev.rush.reconciliation.report.RainBooks;
import dev.rush.reconciliation.report.SaleBooks;
import dev.rush.reconciliation.report.Verdict;
import org.jspecify.annotations.Nullable;

/** Whether a sale or rain is settled by its books, so that it can leave Redis. */
final class Settled {

    private Settled() {
    }

    static boolean by(@Nullable SaleBooks books) {
        return books != null && books.verdict() == Verdict.BALANCED && books.items().stream()
                .allMatch(item -> item.inStream() == 0
                        && item.creditPending() == 0 && item.inTransfer() == 0);
    }

    static boolean by(RainBooks.@Nullable View books) {
        return books != null && books.verdict() == Verdict.BALANCED && books.inStream() == 0;
    }
}
