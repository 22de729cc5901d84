package dev.rush.order;

import dev.rush.ledger.Payment;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A step of an order as Redis records it: evidence in case the ledger loses the step.
 *
 * @param partition the order's partition, which records it
 * @param month     of the order
 * @param step      number of the step in the order
 * @param kind      as spelled in the ledger
 * @param payment   as stated by the client; {@link Payment#NONE} unless it confirmed the order
 */
public record ReportedStep(int partition, int month, UUID order, int step, String kind,
        String actor, Payment payment) {

    private static final int WORDS = 5;
    private static final int WORDS_WITH_PAYMENT = 8;

    /**
     * The step as {@code report.lua} stores it: its words, then those of the payment if one was
     * stated, where an empty word is a missing value. {@link #parse} reads it.
     */
    public String text() {
        String text = String.join(" ", Integer.toString(month), order.toString(),
                Integer.toString(step), kind, actor);
        return payment.equals(Payment.NONE) ? text
                : String.join(" ", text, Objects.toString(payment.reference(), ""),
                        Objects.toString(payment.amount(), ""),
                        Objects.toString(payment.currency(), ""));
    }

    /** The step of a {@link #text}; null if the text has another form. */
    public static @Nullable ReportedStep parse(int partition, String text) {
        String[] words = text.split(" ", -1);
        if (words.length != WORDS && words.length != WORDS_WITH_PAYMENT) {
            return null;
        }
        try {
            return new ReportedStep(partition, Integer.parseInt(words[0]),
                    UUID.fromString(words[1]), Integer.parseInt(words[2]), words[3], words[4],
                    words.length == WORDS ? Payment.NONE : payment(words));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static Payment payment(String[] words) {
        return new Payment(words[5].isEmpty() ? null : words[5],
                words[6].isEmpty() ? null : Long.valueOf(words[6]),
                words[7].isEmpty() ? null : words[7]);
    }
}
