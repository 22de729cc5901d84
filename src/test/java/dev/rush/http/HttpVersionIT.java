package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Environments;
import dev.rush.testing.RawHttp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The public port speaks HTTP/1.1 only, so that no flood of HTTP/2 frames can reach a pod. */
class HttpVersionIT {
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final String EMPTY_SETTINGS = "\0\0\0\4\0\0\0\0\0";

    @Test
    @DisplayName("X6: the preface of HTTP/2 with prior knowledge is not answered in HTTP/2")
    void prefaceOfHttp2IsRefused() {
        byte[] request = (PREFACE + EMPTY_SETTINGS).getBytes(StandardCharsets.ISO_8859_1);

        RawHttp.Answer answer = RawHttp.send(Environments.single().pod().baseUri(), request);

        // Silence or a line of text; HTTP/2 would begin with the zero bytes of a frame's length.
        assertThat(answer.head()).matches("(?s)|HTTP/[12]\\.\\d 4\\d\\d .*");
    }

    @Test
    @DisplayName("X6: an upgrade to HTTP/2 without TLS is ignored, and the request is answered")
    void upgradeToHttp2IsIgnored() {
        RawHttp.Answer answer = RawHttp.send(Environments.single().pod().baseUri(),
                "GET /problems/sold-out HTTP/1.1\r\nHost: x\r\n"
                        + "Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\n"
                        + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", Duration.ofSeconds(2));

        assertThat(answer.head()).startsWith("HTTP/1.1 200 ").doesNotContainIgnoringCase("h2c");
    }
}
