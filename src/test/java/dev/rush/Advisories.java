package dev.rush;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.maven.artifact.versioning.ComparableVersion;

/**
 * Published vulnerabilities of the libraries that Rush depends on, in OSV format, and those that
 * are accepted for a limited time. {@code SECURITY.md} says how to update them.
 *
 * @param all the advisories
 * @param acceptances those of them that do not affect Rush
 */
record Advisories(List<JsonNode> all, List<Acceptance> acceptances) {
    private static final Path FOLDER = Path.of("src", "test", "resources", "advisories");
    private static final String ACCEPTED = "accepted.json";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A library as a bill of materials names it; {@code name} is group and artifact. */
    record Library(String name, String version) {
    }

    /** An advisory that applies to a library. */
    record Finding(String id, Library library, String summary) {
    }

    /** Why an advisory does not affect Rush, and the last day on which it is accepted. */
    record Acceptance(String id, String name, String reason, LocalDate until) {
        boolean covers(Finding finding, LocalDate today) {
            return id.equals(finding.id) && name.equals(finding.library.name)
                    && !until.isBefore(today);
        }
    }

    /** Reads the committed advisories and acceptances. */
    static Advisories read() {
        List<JsonNode> advisories = new ArrayList<>();
        List<Acceptance> acceptances = new ArrayList<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.sorted().toList()) {
                JsonNode content = JSON.readTree(file.toFile());
                if (file.endsWith(ACCEPTED)) {
                    content.forEach(entry -> acceptances.add(acceptance(entry)));
                } else {
                    content.required("vulns").forEach(advisories::add);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Advisories(advisories, acceptances);
    }

    /** Returns the runtime libraries in a CycloneDX bill of materials. */
    static Set<Library> libraries(Path billOfMaterials) throws IOException {
        Set<Library> libraries = new TreeSet<>(
                Comparator.comparing(Library::name).thenComparing(Library::version));
        for (JsonNode component : JSON.readTree(billOfMaterials.toFile()).required("components")) {
            if (component.path("purl").asText().startsWith("pkg:maven/")
                    && component.path("properties").toString().contains("\"runtime\"")) {
                libraries.add(new Library(component.required("group").asText() + ":"
                        + component.required("name").asText(),
                        component.required("version").asText()));
            }
        }
        return libraries;
    }

    /** Returns the advisories that apply to the libraries, accepted or not. */
    List<Finding> findings(Collection<Library> libraries) {
        return libraries.stream().flatMap(library -> all.stream()
                .filter(advisory -> applies(advisory, library))
                .map(advisory -> new Finding(advisory.required("id").asText(), library,
                        advisory.required("summary").asText()))).toList();
    }

    /** Returns the advisories that apply to the libraries and are not, or no longer, accepted. */
    List<Finding> unaccepted(Collection<Library> libraries, LocalDate today) {
        return findings(libraries).stream().filter(finding -> acceptances.stream()
                .noneMatch(acceptance -> acceptance.covers(finding, today))).toList();
    }

    /** Returns the acceptances that cover no finding. */
    List<Acceptance> unused(Collection<Library> libraries) {
        List<Finding> findings = findings(libraries);
        return acceptances.stream().filter(acceptance -> findings.stream()
                .noneMatch(finding -> acceptance.covers(finding, acceptance.until()))).toList();
    }

    private static boolean applies(JsonNode advisory, Library library) {
        return advisory.required("affected").valueStream()
                .filter(affected -> affected.required("package").required("name").asText()
                        .equals(library.name))
                .flatMap(affected -> affected.required("ranges").valueStream())
                .anyMatch(range -> contains(range.required("events"), library.version));
    }

    /** Evaluates an OSV range: the last event that the version has reached decides. */
    static boolean contains(JsonNode events, String version) {
        ComparableVersion actual = new ComparableVersion(version);
        boolean inside = false;
        for (JsonNode event : events) {
            String kind = event.fieldNames().next();
            int order = actual.compareTo(new ComparableVersion(event.get(kind).asText()));
            if (order > 0 || order == 0 && !kind.equals("last_affected")) {
                inside = kind.equals("introduced");
            }
        }
        return inside;
    }

    private static Acceptance acceptance(JsonNode entry) {
        return new Acceptance(entry.required("id").asText(), entry.required("package").asText(),
                entry.required("reason").asText(),
                LocalDate.parse(entry.required("until").asText()));
    }
}
