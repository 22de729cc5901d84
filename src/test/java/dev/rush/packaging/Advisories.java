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
 * Published vulnerabilities of the libraries that Rush stands on, in OSV format, and those that
 * are accepted for a time. {@code SECURITY.md} says how to bring them up to date.
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
        static Library of(String name, String version) {
            return new Library(name, version);
        }
    }

    /** An advisory that applies to a library. */
    record Finding(String id, Library library, String summary) {
    }

    /** Why an advisory of a library does no harm here, and until which day that may stand. */
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

    /** Returns the libraries that a CycloneDX bill of materials says are there at run time. */
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

    /** Returns what applies to the libraries, accepted or not. */
    List<Finding> of(Iterable<Library> libraries) {
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

    /** Returns what applies to the libraries and is not, or no longer, accepted. */
    List<Finding> open(Iterable<Library> libraries, LocalDate today) {
        Predicate<Finding> accepted = finding -> acceptances.stream()
                .anyMatch(acceptance -> acceptance.covers(finding, today));
        return of(libraries).stream().filter(accepted.negate()).toList();
    }

    /** Returns the acceptances that no finding needs. */
    List<Acceptance> needless(Iterable<Library> libraries) {
        List<Finding> findings = of(libraries);
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

    /** Evaluates a range as OSV defines it: each event that the version has reached counts. */
    static boolean contains(JsonNode events, String version) {
        ComparableVersion reached = new ComparableVersion(version);
        boolean inside = false;
        for (JsonNode event : events) {
            if (event.has("introduced") && compared(reached, event, "introduced") >= 0) {
                inside = true;
            } else if (event.has("fixed") && compared(reached, event, "fixed") >= 0) {
                inside = false;
            } else if (event.has("last_affected")
                    && compared(reached, event, "last_affected") > 0) {
                inside = false;
            }
        }
        return inside;
    }

    private static int compared(ComparableVersion reached, JsonNode event, String kind) {
        return reached.compareTo(new ComparableVersion(event.get(kind).asText()));
    }

    private static Acceptance acceptance(JsonNode entry) {
        return new Acceptance(entry.required("id").asText(), entry.required("package").asText(),
                entry.required("reason").asText(),
                LocalDate.parse(entry.required("until").asText()));
    }
}
