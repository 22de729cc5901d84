package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rush.packaging.Advisories.Acceptance;
import dev.rush.packaging.Advisories.Library;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check of advisories can fail. */
class AdvisoriesTest {
    private static final Advisories ADVISORIES = Advisories.read();

    @ParameterizedTest(name = "{0} {1}: {2}")
    @DisplayName("Versions with published holes are found")
    @CsvSource({
        "io.netty:netty-codec-http, 4.1.130.Final, GHSA-pwqr-wmgm-9rr8",
        "io.netty:netty-codec-http, 4.1.137.Final, GHSA-pvjx-v7vp-62vq",
        "io.netty:netty-codec-http2, 4.1.130.Final, GHSA-w9fj-cfpg-grvv",
        "io.vertx:vertx-core, 4.5.24, GHSA-3g76-f9xq-8vp6",
        "org.postgresql:postgresql, 42.7.9, CVE-2026-42198",
        "com.fasterxml.jackson.core:jackson-core, 2.20.1, GHSA-72hv-8253-57qq",
        "com.google.protobuf:protobuf-java, 4.27.2, GHSA-735f-pc8j-v9w8",
        "org.bitbucket.b_c:jose4j, 0.9.5, GHSA-3677-xxcr-wjqv",
        "org.yaml:snakeyaml, 1.33, CVE-2022-1471",
        "org.apache.commons:commons-lang3, 3.17.0, GHSA-j288-q9x7-2f5v",
        "commons-io:commons-io, 2.13.0, GHSA-78wr-2p64-hpwj",
        "org.codehaus.plexus:plexus-utils, 3.5.1, GHSA-6fmv-xxpf-w3cw"})
    void knownHolesAreFound(String name, String version, String id) {
        assertThat(ADVISORIES.open(List.of(Library.of(name, version)), LocalDate.MIN))
                .extracting(Advisories.Finding::id).contains(id);
    }

    @Test
    @DisplayName("A version that mends a hole is not found")
    void mendedVersionsAreNotFound() {
        assertThat(ADVISORIES.of(List.of(Library.of("io.netty:netty-codec-http", "4.1.140.Final"),
                Library.of("io.netty:netty-codec-http2", "4.1.140.Final"),
                Library.of("org.postgresql:postgresql", "42.7.14")))).isEmpty();
    }

    @Test
    @DisplayName("An acceptance ends on its day")
    void acceptanceEndsOnItsDay() {
        Acceptance acceptance = ADVISORIES.acceptances().get(0);
        Advisories.Finding finding = new Advisories.Finding(
                acceptance.id(), Library.of(acceptance.name(), "any"), "");

        assertThat(acceptance.covers(finding, acceptance.until())).isTrue();
        assertThat(acceptance.covers(finding, acceptance.until().plusDays(1))).isFalse();
    }

    @Test
    @DisplayName("An acceptance says why, and does not stand for longer than half a year")
    void acceptancesAreReasonedAndShort() {
        LocalDate latest = LocalDate.now().plusMonths(6);
        assertThat(ADVISORIES.acceptances()).allSatisfy(acceptance -> {
            assertThat(acceptance.reason()).hasSizeGreaterThan(30);
            assertThat(acceptance.until()).isBefore(latest);
        });
    }

    @Test
    @DisplayName("Advisories are named once, and each says where it comes from")
    void advisoriesAreNamedOnce() {
        assertThat(ADVISORIES.all()).extracting(advisory -> advisory.get("id").asText())
                .doesNotHaveDuplicates().hasSizeGreaterThan(40);
        assertThat(ADVISORIES.all()).allSatisfy(advisory ->
                assertThat(advisory.path("references").path(0).path("url").asText())
                        .startsWith("https://"));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @DisplayName("Ranges are those of OSV, versions are ordered as Maven orders them")
    @CsvSource({"4.1.130.Final, true", "4.1.132.Final, false", "4.2.9.Final, true",
        "4.2.0.Alpha1, true", "4.2.10.Final, false", "5.0.0, true", "5.0.1, false"})
    void rangesAreThoseOfOsv(String version, boolean inside) throws JsonProcessingException {
        String events = """
                [{"introduced": "0"}, {"fixed": "4.1.132.Final"},
                 {"introduced": "4.2.0.Alpha1"}, {"fixed": "4.2.10.Final"},
                 {"introduced": "5"}, {"last_affected": "5.0.0"}]""";

        assertThat(Advisories.contains(new ObjectMapper().readTree(events), version))
                .isEqualTo(inside);
    }
}
