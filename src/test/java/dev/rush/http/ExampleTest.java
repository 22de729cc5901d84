package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An answer that differs from the one in the document does not fit it. */
class ExampleTest {
    private static final String ID = "01a1f8ab-41ae-7786-ad79-95cc824ed8d7";

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "{'a': 1}; {'a': 1, 'b': 2}; true",
        "{'a': 1}; {'b': 1}; false",
        "{'a': 1}; {'a': 2}; false",
        "{'a': 1}; {'a': '1'}; false",
        "{'a': {'b': true}}; {'a': {'b': false}}; false",
        "[1, 2]; [1, 2]; true",
        "[1]; [1, 2]; false",
        "{'a': '…'}; {'a': 'anything'}; true",
        "{'a': 'x…z'}; {'a': 'xyz'}; true",
        "{'a': 'x…z'}; {'a': 'yz'}; false",
        "{'a': '…'}; {'a': 1}; false",
        "['2026-11-20T12:00:00Z']; ['2020-01-01T00:00:00.123Z']; true",
        "['2026-11-20T12:00:00Z']; ['now']; false"})
    void bodiesAreCompared(String shown, String real, boolean fits) {
        assertThat(fits("HTTP/1.1 200 OK\n\n" + shown, "HTTP/1.1 200 OK\n\n" + real, true))
                .isEqualTo(fits);
    }

    @Test
    void statusHeadersAndTextAreCompared() {
        String shown = "HTTP/1.1 200 OK\nETag: …\n\n\"" + ID + "\"";
        assertThat(fits(shown, "HTTP/1.1 200 OK\r\netag: x\r\n\r\n\"" + ID + "\"", true)).isTrue();
        assertThat(fits(shown, "HTTP/1.1 200 OK\r\n\r\n\"" + ID + "\"", true)).isFalse();
        assertThat(fits(shown, "HTTP/1.1 201 Created\r\nETag: x\r\n\r\n\"" + ID + "\"", true))
                .isFalse();
        assertThat(fits("a\nc…\n", "a\nb\ncd\n", false)).isTrue();
        assertThat(fits("c…\na\n", "a\nb\ncd\n", false)).isFalse();
    }

    private static boolean fits(String shown, String real, boolean isHttp) {
        return new Example("", shown.replace('\'', '"'), isHttp)
                .fits(real.replace('\'', '"'), OpenApiDocument::read);
    }
}
