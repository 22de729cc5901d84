package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The violations of a body that cannot be read. */
class JsonTest {
    private static final Json JSON = new Json();

    /** The shape of a purchase. */
    record Purchase(List<Line> items) {
        record Line(String sku, Integer quantity) {
        }
    }

    @Test
    void aTruncatedBodyNamesItsPositionButNoField() {
        String whole = "{\"items\":\n[{\"sku\":\"apple\",\"quantity\":12}]}";
        for (int length = 1; length < whole.length(); length++) {
            String cut = whole.substring(0, length);
            JsonNode violation = violation(cut);
            assertThat(violation.path("field").asText()).as(cut).isEmpty();
            assertThat(violation.path("message").asText()).as(cut)
                    .matches("is not valid JSON at line [12], column \\d+");
        }
        assertThat(violation(whole.substring(0, 20)).path("message").asText())
                .isEqualTo("is not valid JSON at line 2, column 11");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(quoteCharacter = '`', value = {
        "{'items':[{'sku':7}]} | items[0].sku",
        "{'items':[{'sku':'a'},{'quantity':'3'}]} | items[1].quantity",
        "{'items':[{'quantity':99999999999}]} | items[0].quantity",
        "{'items':[{'skuu':'a'}]} | items[0].skuu",
        "{'items':[{'sku':'a' 'quantity':1}]} | ``",
        "{'items':[{'sku':'a','sku':'b'}]} | ``",
        "{'items':[]}] | ``",
        "[] | ``",
    }, delimiter = '|')
    void aFieldIsNamedOnlyIfItIsAtFault(String body, String field) {
        assertThat(violation(body.replace('\'', '"')).path("field").asText()).isEqualTo(field);
    }

    @Test
    void anOptionalBodyMayBeAbsentOrNull() {
        for (byte[] none : new byte[][] {null, {}, "null".getBytes(StandardCharsets.US_ASCII)}) {
            assertThat(JSON.readOptional(none, Purchase.class)).isNull();
        }
        assertThat(violation("null").path("message").asText()).isEqualTo("must be an object");
    }

    private static JsonNode violation(String body) {
        ProblemException refused = catchThrowableOfType(ProblemException.class, () -> JSON.read(
                body.getBytes(StandardCharsets.UTF_8), Purchase.class));
        assertThat(refused).as(body).isNotNull();
        assertThat(refused.problem().code()).isEqualTo(OutcomeCode.INVALID_REQUEST);
        try {
            return new ObjectMapper().readTree(refused.problem().body())
                    .path("violations").path(0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
