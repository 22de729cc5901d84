package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The OpenAPI document is as Redocly wants it, by the settings beside it. */
class OpenApiStyleTest {
    private static final Path DOCUMENT = Path.of("docs", "reference", "openapi.yaml");
    private static final Path SETTINGS = Path.of("docs", "reference", "redocly.yaml");

    @TempDir
    Path folder;

    @BeforeAll
    static void install() {
        Npm.assumeInstalled();
    }

    @Test
    void redoclyFindsNothing() {
        Command check = lint(DOCUMENT);

        assertThat(check.status()).as(check.output()).isZero();
        assertThat(check.output()).doesNotContain("error ", "warning ");
    }

    @ParameterizedTest
    @CsvSource({"operationId: getSale, operationId: purchase, operation-operationId-unique",
            "type: integer, type: number of units, struct",
            "'  - title\n', '  - titles\n', no-required-schema-properties-undefined",
            "'schemas/Purchase\"', 'schemas/Sold\"', no-unresolved-refs"})
    void redoclyNoticesAMistake(String good, String bad, String rule) throws IOException {
        String text = Sources.text(DOCUMENT);
        assertThat(text).contains(good.translateEscapes());
        Path file = folder.resolve("openapi.yaml");
        Files.writeString(file, text.replace(good.translateEscapes(), bad.translateEscapes()));

        Command check = lint(file);

        assertThat(check.status()).as(check.output()).isNotZero();
        assertThat(check.output()).contains(rule);
    }

    private static Command lint(Path file) {
        return Npm.run("redocly", "lint", "--format=summary", "--config", SETTINGS.toString(),
                file.toString());
    }
}
