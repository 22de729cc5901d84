package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.testing.Command;
import dev.rush.testing.Fork;
import dev.rush.testing.Sources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The guide's receiver, which verifies signatures without any code of the service. */
class WebhookGuideTest {
    private static final Pattern PYTHON = Pattern.compile("```python\n(.*?)```", Pattern.DOTALL);
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String OTHER = SECRET.replace("MfK", "AAA");
    private static final String BODY = "{\"data\":\"ä\"}";

    @Test
    void guidesReceiverRefusesForgedDeliveries() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/python3")), "no python3 in /usr/bin");
        long now = Instant.now().getEpochSecond();
        String id = "018f_confirmed";
        String good = Signatures.of(List.of(OTHER, SECRET), id, now, BODY);
        assertThat(isGenuine(id, now, good, BODY)).isTrue();
        assertThat(isGenuine(id, now, good, BODY + " ")).isFalse();
        assertThat(isGenuine("018f_returned", now, good, BODY)).isFalse();
        assertThat(isGenuine(id, now + 1, good, BODY)).isFalse();
        assertThat(isGenuine(id, now, Signatures.of(List.of(OTHER), id, now, BODY), BODY))
                .isFalse();
        long old = now - 400;
        assertThat(isGenuine(id, old, Signatures.of(List.of(SECRET), id, old, BODY), BODY))
                .isFalse();
    }

    private static boolean isGenuine(String id, long timestamp, String signature, String body)
            throws IOException {
        Matcher code = PYTHON.matcher(Sources.text(Path.of("docs/guides/webhooks.md")));
        assertThat(code.find()).isTrue();
        Path script = Fork.folder("webhook-guide").resolve("receiver.py");
        Files.createDirectories(script.getParent());
        Files.writeString(script, code.group(1) + """

                import sys
                secret, id, timestamp, signature, body = sys.argv[1:]
                headers = {"webhook-id": id, "webhook-timestamp": timestamp,
                           "webhook-signature": signature}
                print(is_genuine(secret, headers, base64.b64decode(body)))
                """);
        return Command.run("/usr/bin/python3", script.toString(), SECRET, id,
                Long.toString(timestamp), signature, Base64.getEncoder().encodeToString(
                        body.getBytes(StandardCharsets.UTF_8))).output().strip().equals("True");
    }
}
