package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rush.Advisories.Acceptance;
import dev.rush.Advisories.Library;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The advisory check finds vulnerable versions, and only those. */
class AdvisoriesTest {
    private static final Advisories ADVISORIES = Advisories.read();

    @ParameterizedTest(name = "{0} {1}: {2}")
    @DisplayName("Vulnerable versions are found")
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
    void vulnerableVersionsAreFound(String name, String version, String id) {
        assertThat(ADVISORIES.unaccepted(List.of(new Library(name, version)), LocalDate.MIN))
                .extracting(Advisories.Finding::id).contains(id);
    }

    @Test
    @DisplayName("Fixed versions have no findings")
    void fixedVersionsHaveNoFindings() {
        assertThat(ADVISORIES.findings(List.of(
                new Library("io.netty:netty-codec-http", "4.1.140.Final"),
                new Library("io.netty:netty-codec-http2", "4.1.140.Final"),
                new Library("org.postgresql:postgresql", "42.7.14")))).isEmpty();
    }

    @Test
    @DisplayName("An acceptance is valid through its last day")
    void acceptanceIsValidThroughItsLastDay() {
        Acceptance acceptance = ADVISORIES.acceptances().get(0);
        Advisories.Finding finding = new Advisories.Finding(
                acceptance.id(), new Library(acceptance.name(), "any"), "");

        assertThat(acceptance.covers(finding, acceptance.until())).isTrue();
        assertThat(acceptance.covers(finding, acceptance.until().plusDays(1))).isFalse();
    }

    @Test
    @DisplayName("Each acceptance gives a reason and expires within half a year")
    void acceptancesHaveAReasonAndExpireSoon() {
        LocalDate latest = LocalDate.now().plusMonths(6);
        assertThat(ADVISORIES.acceptances()).allSatisfy(acceptance -> {
            assertThat(acceptance.reason()).hasSizeGreaterThan(30);
            assertThat(acceptance.until()).isBefore(latest);
        });
    }

    @Test
    @DisplayName("Each advisory is stored once and links to its source")
    void advisoriesAreUniqueAndLinkToTheirSource() {
        assertThat(ADVISORIES.all()).extracting(advisory -> advisory.get("id").asText())
                .doesNotHaveDuplicates().hasSizeGreaterThan(40);
        assertThat(ADVISORIES.all()).allSatisfy(advisory ->
                assertThat(advisory.path("references").path(0).path("url").asText())
                        .startsWith("https://"));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @DisplayName("Ranges are evaluated as in OSV, with versions in Maven's order")
    @CsvSource({"4.1.130.Final, true", "4.1.132.Final, false", "4.2.9.Final, true",
        "4.2.0.Alpha1, true", "4.2.10.Final, false", "5.0.0, true", "5.0.1, false"})
    void rangesAreEvaluatedAsInOsv(String version, boolean inside) throws JsonProcessingException {
        String events = """
                [{"introduced": "0"}, {"fixed": "4.1.132.Final"},
                 {"introduced": "4.2.0.Alpha1"}, {"fixed": "4.2.10.Final"},
                 {"introduced": "5"}, {"last_affected": "5.0.0"}]""";

        assertThat(Advisories.contains(new ObjectMapper().readTree(events), version))
                .isEqualTo(inside);
    }
}
