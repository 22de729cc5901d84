package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signatures follow Standard Webhooks. */
class SignaturesTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    /** The example in the tests of the libraries of Standard Webhooks. */
    @Test
    void signatureEqualsTheKnownExample() {
        assertThat(Signatures.of(List.of(SECRET), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330,
                "{\"test\": 2432232314}"))
                .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    @Test
    void eachSecretSigns() {
        assertThat(Signatures.of(List.of(SECRET, SECRET), "msg_p5jXN8AQM9LWM0D4loKWxJek",
                1_614_265_330, "{\"test\": 2432232314}")).isEqualTo(
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
                + " v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_short",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa==", "whsec_not base64 at all, not at all......",
        "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})
    void invalidSecretIsRefused(String text) {
        assertThat(Signatures.isSecret(text)).isFalse();
    }

    @Test
    void secretsHave24To64Bytes() {
        assertThat(Signatures.isSecret(SECRET)).isTrue();
        assertThat(Signatures.isSecret("whsec_" + "A".repeat(84) + "AA==")).isTrue();
        assertThat(Signatures.isSecret("whsec_" + "A".repeat(84) + "AAA=")).isFalse();
        assertThat(Signatures.isSecret("whsec_" + "A".repeat(28) + "AAA=")).isFalse();
        assertThat(Signatures.isSecret(null)).isFalse();
    }
}
