package dev.rush.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * One rendered set of manifests, and the project files that they must agree with.
 *
 * @param name    the overlay and the added components, joined with {@code +}
 * @param objects every object that kubectl would apply
 * @param files   file contents by path in the project
 */
record Packaging(String name, List<JsonNode> objects, Map<String, String> files) {

    /** The image of the service itself, without its tag. */
    static final String SERVICE_IMAGE = "rush/rush";

    static final String NAME_LABEL = "app.kubernetes.io/name";

    /** Kinds whose pods run under our manifests. */
    private static final List<String> OWNERS =
            List.of("Deployment", "StatefulSet", "Job", "KnativeService");

    /** Whether this is the overlay for a laptop, with passwords beside the manifests. */
    boolean dev() {
        return name.startsWith("dev");
    }

    Stream<JsonNode> all(String kind) {
        return objects.stream().filter(object -> kind(object).equals(kind));
    }

    Optional<JsonNode> find(String kind, String name) {
        return all(kind).filter(object -> name(object).equals(name)).findFirst();
    }

    JsonNode get(String kind, String name) {
        return find(kind, name).orElseThrow(() -> new AssertionError(kind + "/" + name));
    }

    List<Pod> pods() {
        return OWNERS.stream().flatMap(this::all).map(Pod::new).toList();
    }

    List<Pod> servicePods() {
        return pods().stream().filter(Pod::runsService).toList();
    }

    Stream<Pod> selectedBy(JsonNode selector) {
        return pods().stream().filter(pod -> Labels.match(selector, pod.labels()));
    }

    String file(String path) {
        String text = files.get(path);
        if (text == null) {
            throw new AssertionError(path + " is missing");
        }
        return text;
    }

    Stream<String> paths(String prefix, String suffix) {
        return files.keySet().stream()
                .filter(path -> path.startsWith(prefix) && path.endsWith(suffix))
                .sorted();
    }

    /** Returns a setting from application.properties. */
    Optional<String> setting(String key) {
        Properties settings = new Properties();
        try {
            settings.load(new StringReader(file("src/main/resources/application.properties")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Optional.ofNullable(settings.getProperty(key));
    }

    /** Returns the kind; Knative's Service is {@code KnativeService}. */
    static String kind(JsonNode object) {
        boolean knative = object.path("apiVersion").asText().startsWith("serving.knative.dev/");
        return (knative ? "Knative" : "") + object.path("kind").asText();
    }

    static String name(JsonNode object) {
        return object.at("/metadata/name").asText();
    }

    /** Returns {@code Kind/name}, as findings and mutations spell it. */
    static String id(JsonNode object) {
        return kind(object) + "/" + name(object);
    }

    /** Returns the nodes at a JSON pointer in which {@code *} matches every element of a list. */
    static List<JsonNode> nodes(JsonNode node, String path) {
        int star = path.indexOf("/*");
        if (star < 0) {
            JsonNode found = node.at(path);
            return found.isMissingNode() ? List.of() : List.of(found);
        }
        String tail = path.substring(star + 2);
        return node.at(path.substring(0, star)).valueStream()
                .flatMap(element -> nodes(element, tail).stream()).toList();
    }
}
