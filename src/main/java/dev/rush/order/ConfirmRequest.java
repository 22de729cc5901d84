package dev.rush.order;

import dev.rush.http.Texts;
import dev.rush.http.Violations;
import dev.rush.ledger.Payment;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.regex.Pattern;

/** The body of a confirmation: what is known of the payment. Each may be absent. */
@RegisterForReflection
public record ConfirmRequest(String paymentReference, Long amount, String currency) {

    private static final Pattern CURRENCY = Pattern.compile("[A-Z]{3}");

    /**
     * The payment that it states.
     *
     * @throws dev.rush.http.ProblemException {@code invalid-request}
     */
    public Payment payment() {
        Violations violations = new Violations();
        violations.require(paymentReference == null || Texts.isVisible(paymentReference),
                "paymentReference", "must be 1 to 128 visible ASCII characters");
        violations.require(amount == null || amount >= 0, "amount",
                "must not be below zero; it is in the currency's smallest unit");
        violations.require(currency == null || CURRENCY.matcher(currency).matches(),
                "currency", "must be three capital letters");
        violations.require((amount == null) == (currency == null), "currency",
                "must be there with an amount, and only with one");
        violations.check();
        return new Payment(paymentReference, amount, currency);
    }
}
