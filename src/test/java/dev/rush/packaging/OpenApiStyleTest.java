package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The OpenAPI document is as Redocly wants it, by the settings beside it. */
class OpenApiStyleTest {

    @Test
    void redoclyFindsNothing() {
        Npm.assumeInstalled();

        Command check = Npm.run("redocly", "lint", "--format=summary",
                "--config", "docs/reference/redocly.yaml", "docs/reference/openapi.yaml");

        assertThat(check.status()).as(check.output()).isZero();
        assertThat(check.output()).doesNotContain("error ", "warning ");
    }
}
