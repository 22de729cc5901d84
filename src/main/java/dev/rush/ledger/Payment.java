package dev.rush.ledger;

import org.jspecify.annotations.Nullable;

/**
 * A payment as stated by the client; each field may be null.
 *
 * @param reference the payment's reference in the payment system
 * @param amount    in the currency's smallest unit
 * @param currency  three letters
 */
public record Payment(
        @Nullable String reference, @Nullable Long amount, @Nullable String currency) {

    /** Nothing was stated. */
    public static final Payment NONE = new Payment(null, null, null);
}
