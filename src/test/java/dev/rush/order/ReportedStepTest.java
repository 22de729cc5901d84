package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.Payment;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The text of a reported step, as Redis stores it. */
class ReportedStepTest {
    private static final String ID = "018f2f6e-7b5c-7cc0-8a3c-0242ac120002";

    private static ReportedStep step(Payment payment) {
        return new ReportedStep(7, 202601, UUID.fromString(ID), 1, "confirmed", "payer:pia",
                payment);
    }

    private static Stream<Payment> payments() {
        return Stream.of(Payment.NONE, new Payment("pay-1", 990L, "EUR"),
                new Payment("pay-1", null, null), new Payment(null, 0L, "EUR"));
    }

    @ParameterizedTest
    @MethodSource("payments")
    @DisplayName("I6: parsing the text of a step gives the same step")
    void roundTrip(Payment payment) {
        ReportedStep step = step(payment);
        assertThat(ReportedStep.parse(7, step.text())).isEqualTo(step);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "202601 " + ID + " 1 confirmed payer:pia",
        "202601 " + ID + " 1 confirmed payer:pia pay-1 990 EUR",
        "202601 " + ID + " 1 confirmed payer:pia pay-1  "})
    @DisplayName("I6: formatting a parsed text gives the same text, so that Redis can remove it")
    void sameText(String text) {
        assertThat(ReportedStep.parse(7, text)).extracting(ReportedStep::text).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "202601 " + ID + " 1 confirmed", "x " + ID + " 1 confirmed p",
        "202601 no-id 1 confirmed p", "202601 " + ID + " x confirmed p",
        "202601 " + ID + " 1 confirmed p pay-1", "202601 " + ID + " 1 confirmed p pay-1 x EUR"})
    @DisplayName("A text of another form is not a step")
    void malformed(String text) {
        assertThat(ReportedStep.parse(7, text)).isNull();
    }
}
