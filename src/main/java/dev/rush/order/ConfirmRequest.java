package dev.rush.order;

import static dev.rush.http.Texts.VISIBLE_PATTERN;

import dev.rush.http.Texts;
import dev.rush.http.Violations;
import dev.rush.ledger.Payment;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a confirmation: the payment. Each field may be absent. */
@RegisterForReflection
@Schema(name = "Confirmation", additionalProperties = Schema.False.class)
public record ConfirmRequest(
        @Schema(description = "The payment's reference at the payment provider; a different one "
                + "for the same order is refused", pattern = VISIBLE_PATTERN, examples = "pay-4711")
        @Nullable String paymentReference,
        @Schema(description = "In the currency's smallest unit; only with a currency",
                minimum = "0", examples = "129900")
        @Nullable Long amount,
        @Schema(description = "Only with an amount", pattern = ConfirmRequest.CURRENCY_PATTERN,
                examples = "EUR")
        @Nullable String currency) {

    static final String CURRENCY_PATTERN = "^[A-Z]{3}$";
    private static final Pattern CURRENCY = Pattern.compile(CURRENCY_PATTERN);

    /**
     * The payment stated in the body.
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
                "is required with an amount, and allowed only with one");
        violations.check();
        return new Payment(paymentReference, amount, currency);
    }
}
