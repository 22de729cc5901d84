package dev.rush.packaging;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.rush.testing.Command;
import dev.rush.testing.Fork;
import dev.rush.testing.Sources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Renders sets of manifests with {@code kubectl kustomize}, each once. */
final class Kustomize {

    private static final YAMLMapper YAML = new YAMLMapper();
    private static final Map<String, Packaging> RENDERED = new ConcurrentHashMap<>();
    private static final Map<String, List<JsonNode>> PARSED = new ConcurrentHashMap<>();
    private static final List<String> SOURCES =
            List.of("k8s", "src/main", "docs/reference", "docs/runbooks");

    /** Belongs to dev and to no other overlay. */
    private static final String DEV_ONLY = "postgres-dev";

    /** Expose Rush to the internet. Dev must not use them, because it trusts a header. */
    private static final Set<String> PUBLIC = Set.of("ingress", "gateway");

    /** Replaces the api Deployment, which other components patch or route to. */
    private static final String KNATIVE = "knative";
    private static final Set<String> NOT_WITH_KNATIVE = Set.of("keda", "gateway");

    /**
     * Every overlay alone, with each further component, and with all components that can be
     * combined.
     */
    static final List<String> SETS = sets();

    private Kustomize() {
    }

    private static List<String> sets() {
        List<String> sets = new ArrayList<>();
        for (String overlay : folders("k8s/overlays")) {
            List<String> present = components(Path.of("k8s/overlays", overlay)).toList();
            List<String> others = folders("k8s/components").stream()
                    .filter(name -> !name.equals(DEV_ONLY) && !present.contains(name)).toList();
            List<String> usable = others.stream()
                    .filter(name -> !overlay.equals("dev") || !PUBLIC.contains(name)).toList();
            sets.add(overlay);
            usable.forEach(name -> sets.add(overlay + "+" + name));
            sets.add(combination(overlay, usable, name -> !name.equals(KNATIVE)));
            sets.add(combination(overlay, usable, name -> !NOT_WITH_KNATIVE.contains(name)));
        }
        return sets;
    }

    private static String combination(
            String overlay, List<String> components, Predicate<String> filter) {
        return overlay + "+" + components.stream().filter(filter).collect(Collectors.joining("+"));
    }

    /** Returns the components of an overlay and of the overlays that it includes. */
    private static Stream<String> components(Path overlay) {
        return parse(Sources.text(overlay.resolve("kustomization.yaml"))).stream().flatMap(own ->
                Stream.concat(
                        own.path("components").valueStream()
                                .map(path -> Path.of(path.asText()).getFileName().toString()),
                        own.path("resources").valueStream()
                                .map(path -> overlay.resolve(path.asText()).normalize())
                                .filter(path -> path.startsWith("k8s/overlays"))
                                .flatMap(Kustomize::components)));
    }

    private static List<String> folders(String parent) {
        return Sources.files(parent, "/kustomization.yaml").stream()
                .filter(path -> path.getNameCount() == 4)
                .map(path -> path.getName(2).toString()).sorted().toList();
    }

    static Packaging render(String set) {
        assumeKubectl();
        return RENDERED.computeIfAbsent(set,
                name -> new Packaging(name, parse(yaml(name)), files()));
    }

    /** Returns the YAML of a set. Components are added as users do, by a kustomization. */
    static String yaml(String set) {
        String[] parts = set.split("\\+");
        Path overlay = Path.of("k8s/overlays", parts[0]);
        if (parts.length == 1) {
            return Command.run("kubectl", "kustomize", overlay.toString()).output();
        }
        StringBuilder text = new StringBuilder("resources:\n  - ../../../" + overlay + "\n")
                .append("components:\n");
        for (String component : List.of(parts).subList(1, parts.length)) {
            text.append("  - ../../../k8s/components/").append(component).append('\n');
        }
        Path folder = Fork.folder("kustomize").resolve(set.replace('+', '-'));
        write(folder.resolve("kustomization.yaml"), text.toString());
        return Command.run("kubectl", "kustomize", folder.toString()).output();
    }

    /** Parses YAML once, because each rule reads the same files again. Nobody changes the nodes. */
    static List<JsonNode> parse(String yaml) {
        return PARSED.computeIfAbsent(yaml, Kustomize::read);
    }

    private static List<JsonNode> read(String yaml) {
        try (JsonParser parser = YAML.createParser(yaml)) {
            return List.copyOf(YAML.readValues(parser, JsonNode.class).readAll());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void assumeKubectl() {
        assumeTrue(Command.isInstalled("kubectl"),
                "kubectl is not on PATH: the manifests are not checked");
    }

    /** Returns every file that a rule may read, by its path in the project. */
    static Map<String, String> files() {
        Map<String, String> files = new TreeMap<>();
        Stream.concat(Stream.of(Path.of(MetricRules.OPERATING)),
                SOURCES.stream().flatMap(folder -> Sources.files(folder, "").stream()))
                .forEach(path -> files.put(path.toString(), Sources.text(path)));
        return files;
    }

    static void write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
