package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The licences in the bill of materials. At least one licence of each library must be known to be
 * compatible with a service under Apache 2.0.
 */
class LicencesIT {
    /** Permissive licences, and those whose copyleft is limited to the library's own files. */
    private static final Set<String> ALLOWED = Set.of("Apache-2.0", "MIT", "MIT-0", "BSD-2-Clause",
            "BSD-3-Clause", "UPL-1.0", "CC0-1.0", "Public Domain",
            "EPL-2.0", "GPL-2.0-with-classpath-exception");

    @Test
    @DisplayName("Every library has an allowed licence")
    void everyLibraryHasAnAllowedLicence() throws IOException {
        Set<String> wrong = new TreeSet<>();
        List<JsonNode> libraries = new ObjectMapper()
                .readTree(AdvisoriesIT.BILL_OF_MATERIALS.toFile()).required("components")
                .findParents("purl").stream()
                .filter(component -> component.get("purl").asText().startsWith("pkg:maven/"))
                .filter(component -> component.path("type").asText().equals("library")).toList();
        for (JsonNode library : libraries) {
            Set<String> licences = new TreeSet<>();
            for (String field : List.of("expression", "id", "name")) {
                licences.addAll(library.path("licenses").findValuesAsText(field));
            }
            if (Collections.disjoint(licences, ALLOWED)) {
                wrong.add(library.get("purl").asText() + " " + licences);
            }
        }
        assertThat(libraries).hasSizeGreaterThan(200);
        assertThat(wrong).isEmpty();
    }
}
