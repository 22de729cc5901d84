package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.ProblemException;
import dev.rush.ledger.Payment;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConfirmRequestTest {

    @Test
    void requestGivesItsPayment() {
        assertThat(new ConfirmRequest(null, null, null).payment()).isEqualTo(Payment.NONE);
        assertThat(new ConfirmRequest("pay-1", 0L, "EUR").payment())
                .isEqualTo(new Payment("pay-1", 0L, "EUR"));
        assertThat(new ConfirmRequest("x".repeat(128), null, null).payment().reference())
                .hasSize(128);
    }

    @Test
    void invalidPaymentIsRefused() {
        for (ConfirmRequest wrong : List.of(new ConfirmRequest("", null, null),
                new ConfirmRequest("a b", null, null),
                new ConfirmRequest("x".repeat(129), null, null),
                new ConfirmRequest(null, -1L, "EUR"), new ConfirmRequest(null, 1L, null),
                new ConfirmRequest(null, null, "EUR"), new ConfirmRequest(null, 1L, "eur"),
                new ConfirmRequest(null, 1L, "EURO"))) {
            assertThatThrownBy(wrong::payment).as(wrong.toString())
                    .isInstanceOf(ProblemException.class);
        }
    }
}
