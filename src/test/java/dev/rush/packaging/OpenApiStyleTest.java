package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redocly finds nothing in the OpenAPI and AsyncAPI documents. */
class OpenApiStyleTest {

    @ParameterizedTest
    @ValueSource(strings = {"openapi", "asyncapi"})
    void redoclyFindsNothing(String document) {
        Npm.assumeInstalled();

        Command check = Npm.run("redocly", "lint", "--format=summary",
                "--config", "docs/reference/redocly.yaml",
                "docs/reference/" + document + ".yaml");

        assertThat(check.status()).as(check.output()).isZero();
        assertThat(check.output()).doesNotContain("error ", "warning ");
    }
}
