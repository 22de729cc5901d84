package dev.rush.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.maven.artifact.versioning.ComparableVersion;

/**
 * Published vulnerabilities of the libraries that Rush depends on, in OSV format, and those that
 * are accepted for a limited time. {@code SECURITY.md} says how to update them.
 */
final class Advisories {
    private static final Path FOLDER = Path.of("src", "test", "resources", "advisories");
    private static final String ACCEPTED = "accepted.json";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<JsonNode> advisories;
    private final List<Acceptance> acceptances;

    private Advisories(List<JsonNode> advisories, List<Acceptance> acceptances) {
        this.advisories = advisories;
        this.acceptances = acceptances;
    }

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
    List<Finding> findings(Iterable<Library> libraries) {
        List<Finding> findings = new ArrayList<>();
        for (Library library : libraries) {
            for (JsonNode advisory : advisories) {
                if (applies(advisory, library)) {
                    findings.add(new Finding(advisory.required("id").asText(), library,
                            advisory.required("summary").asText()));
                }
            }
        }
        return findings;
    }

    /** Returns the advisories that apply to the libraries and are not, or no longer, accepted. */
    List<Finding> unaccepted(Iterable<Library> libraries, LocalDate today) {
        Predicate<Finding> accepted = finding -> acceptances.stream()
                .anyMatch(acceptance -> acceptance.covers(finding, today));
        return findings(libraries).stream().filter(accepted.negate()).toList();
    }

    /** Returns the acceptances that cover no finding. */
    List<Acceptance> unused(Iterable<Library> libraries) {
        List<Finding> findings = findings(libraries);
        return acceptances.stream().filter(acceptance -> findings.stream()
                .noneMatch(finding -> acceptance.covers(finding, acceptance.until()))).toList();
    }

    List<Acceptance> acceptances() {
        return acceptances;
    }

    List<JsonNode> all() {
        return advisories;
    }

    private static boolean applies(JsonNode advisory, Library library) {
        for (JsonNode affected : advisory.required("affected")) {
            if (affected.required("package").required("name").asText().equals(library.name)) {
                for (JsonNode range : affected.required("ranges")) {
                    if (contains(range.required("events"), library.version)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Evaluates an OSV range: the last event that the version has reached decides. */
    static boolean contains(JsonNode events, String version) {
        ComparableVersion actual = new ComparableVersion(version);
        boolean inside = false;
        for (JsonNode event : events) {
            if (event.has("introduced") && compare(actual, event, "introduced") >= 0) {
                inside = true;
            } else if (event.has("fixed") && compare(actual, event, "fixed") >= 0) {
                inside = false;
            } else if (event.has("last_affected")
                    && compare(actual, event, "last_affected") > 0) {
                inside = false;
            }
        }
        return inside;
    }

    private static int compare(ComparableVersion actual, JsonNode event, String kind) {
        return actual.compareTo(new ComparableVersion(event.get(kind).asText()));
    }

    private static Acceptance acceptance(JsonNode entry) {
        return new Acceptance(entry.required("id").asText(), entry.required("package").asText(),
                entry.required("reason").asText(),
                LocalDate.parse(entry.required("until").asText()));
    }
}
