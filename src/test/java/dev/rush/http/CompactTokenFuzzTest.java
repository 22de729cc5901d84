package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** A token is canonical exactly if decoding and encoding its three parts reproduces it. */
class CompactTokenFuzzTest {

    @FuzzTest(maxDuration = "1m")
    void onlyTheCanonicalSpellingPasses(byte[] bytes) {
        String token = new String(bytes, StandardCharsets.UTF_8);
        assertThat(CompactToken.isCanonical(token)).as(token).isEqualTo(respelled(token));
    }

    private static boolean respelled(String token) {
        String[] parts = token.split("\\.", -1);
        if (parts.length != 3 || token.length() > CompactToken.LENGTH_MAX) {
            return false;
        }
        for (String part : parts) {
            try {
                byte[] decoded = Base64.getUrlDecoder().decode(part);
                if (decoded.length == 0 || !Base64.getUrlEncoder().withoutPadding()
                        .encodeToString(decoded).equals(part)) {
                    return false;
                }
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
        return true;
    }
}
