package dev.rush.ledger;

/**
 * What is known of a payment; each may be null.
 *
 * @param reference the payment's name with whoever took it
 * @param amount    in the currency's smallest unit
 * @param currency  three letters
 */
public record Payment(String reference, Long amount, String currency) {

    /** Nothing was stated. */
    public static final Payment NONE = new Payment(null, null, null);
}
