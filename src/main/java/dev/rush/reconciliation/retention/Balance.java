package dev.rush.reconciliation.retention;

import dev.rush.reconciliation.report.RainBooks;
import dev.rush.reconciliation.report.SaleBooks;
import dev.rush.reconciliation.report.Verdict;
import org.jspecify.annotations.Nullable;

/** Whether the books of a sale or rain allow its removal from Redis. */
final class Balance {

    private Balance() {
    }

    static boolean of(@Nullable SaleBooks books) {
        return books != null && books.verdict() == Verdict.BALANCED && books.items().stream()
                .allMatch(item -> item.inStream() == 0
                        && item.creditPending() == 0 && item.inTransfer() == 0);
    }

    static boolean of(RainBooks.@Nullable View books) {
        return books != null && books.verdict() == Verdict.BALANCED && books.inStream() == 0;
    }
}
