package dev.rush.sale;

import dev.rush.http.Problem;
import dev.rush.http.Word;

/** How a purchase ended. */
sealed interface PurchaseOutcome {

    /** The word, which is also the label of the metric. */
    Word word();

    /** The units were taken, now or, when replayed, by an earlier purchase under the same key. */
    record Accepted(OrderView order, boolean replayed) implements PurchaseOutcome {

        @Override
        public Word word() {
            return replayed ? Word.REPLAYED : Word.ACCEPTED;
        }
    }

    /** Nothing was taken, or (outcome-unknown) it is not known. */
    record Refused(Problem problem) implements PurchaseOutcome {

        @Override
        public Word word() {
            return problem.word();
        }
    }
}
