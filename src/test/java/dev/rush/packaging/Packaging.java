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
import java.util.stream.StreamSupport;

/**
 * One rendered set of manifests, and the text of the project's files that they must agree with.
 *
 * @param name    the overlay, and the components that were added to it
 * @param objects every object that kubectl would apply
 * @param files   path in the project to text
 */
record Packaging(String name, List<JsonNode> objects, Map<String, String> files) {

    /** The image of the service itself; the pods that run it follow the rules of the service. */
    static final String SERVICE_IMAGE = "rush/rush";

    static final String NAME_LABEL = "app.kubernetes.io/name";

    /** Kinds whose pods run under our manifests. */
    private static final List<String> OWNERS =
            List.of("Deployment", "StatefulSet", "Job", "KnativeService");

    /** The overlay is for a laptop, where images and passwords lie beside the manifests. */
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
        return OWNERS.stream().flatMap(this::all).map(Pod::of).toList();
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

    /** A setting of the service as its own application.properties has it. */
    Optional<String> setting(String key) {
        Properties settings = new Properties();
        try {
            settings.load(new StringReader(file("src/main/resources/application.properties")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Optional.ofNullable(settings.getProperty(key));
    }

    /** The kind, where Knative's Service is told from that of Kubernetes. */
    static String kind(JsonNode object) {
        boolean knative = object.path("apiVersion").asText().startsWith("serving.knative.dev/");
        return (knative ? "Knative" : "") + object.path("kind").asText();
    }

    static String name(JsonNode object) {
        return object.at("/metadata/name").asText();
    }

    /** Kind and name, as findings and mutations write them. */
    static String id(JsonNode object) {
        return kind(object) + "/" + name(object);
    }

    static Stream<JsonNode> each(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /** The nodes at a path, in which a star stands for every element of a list. */
    static List<JsonNode> nodes(JsonNode node, String path) {
        int star = path.indexOf("/*");
        if (star < 0) {
            JsonNode found = node.at(path);
            return found.isMissingNode() ? List.of() : List.of(found);
        }
        String rest = path.substring(star + 2);
        return each(node.at(path.substring(0, star)))
                .flatMap(element -> nodes(element, rest).stream()).toList();
    }

    static Stream<String> names(JsonNode object) {
        return StreamSupport.stream(((Iterable<String>) object::fieldNames).spliterator(), false);
    }
}
