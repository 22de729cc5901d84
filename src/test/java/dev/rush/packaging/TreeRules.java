package dev.rush.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rules about the files: each one is used, and the README lists it. */
final class TreeRules {

    private static final List<String> REFERENCES = List.of("resources", "components", "patches",
            "configMapGenerator", "secretGenerator", "configurations");

    private TreeRules() {
    }

    /** Every file belongs to a kustomization. */
    static void reachable(Packaging packaging, Findings findings) {
        Set<String> used = packaging.paths("k8s/", "kustomization.yaml")
                .flatMap(path -> Kustomize.parse(packaging.file(path)).stream()
                        .flatMap(kustomization -> REFERENCES.stream()
                                .flatMap(field -> texts(kustomization.path(field))))
                        .map(text -> Path.of(path).resolveSibling(text).normalize().toString()))
                .collect(Collectors.toSet());
        packaging.paths("k8s/", "").forEach(path -> findings.demand(
                path.equals("k8s/README.md") || path.startsWith(MetricRules.TESTS)
                        || used.contains(path) || isEntry(path, used),
                path + " belongs to no kustomization"));
    }

    /** Whether users apply this kustomization, or another one includes its folder. */
    private static boolean isEntry(String path, Set<String> used) {
        return path.matches("k8s/(overlays|components)/[^/]+/kustomization.yaml")
                || path.endsWith("/kustomization.yaml")
                && used.contains(Path.of(path).getParent().toString());
    }

    /** Returns the values that may be paths; generators also use {@code key=path}. */
    private static Stream<String> texts(JsonNode node) {
        if (node.isTextual()) {
            String text = node.asText().replaceFirst("^[\\w.-]+=", "");
            return text.contains("\n") || text.contains(" ") ? Stream.empty() : Stream.of(text);
        }
        return node.valueStream().flatMap(TreeRules::texts);
    }

    /** The tree in the README lists each file or its folder, and nothing else. */
    static void readme(Packaging packaging, Findings findings) {
        List<String> listed = packaging.file("k8s/README.md").split("```")[1].lines().skip(1)
                .map(line -> "k8s/" + line.trim().split("\\s+")[0])
                .toList();
        List<String> files = packaging.paths("k8s/", "").toList();
        listed.forEach(entry -> findings.demand(
                files.stream().anyMatch(file -> covers(entry, file)),
                entry + " is in the README but does not exist"));
        files.forEach(file -> findings.demand(
                listed.stream().anyMatch(entry -> covers(entry, file)),
                file + " is not in the README"));
    }

    private static boolean covers(String entry, String file) {
        return entry.endsWith("/") ? file.startsWith(entry) : file.equals(entry);
    }

    /** The builder chooses the base of each image, and no image starts through a shell. */
    static void dockerfiles(Packaging packaging, Findings all) {
        packaging.paths("src/main/docker/", "").forEach(path -> {
            String text = packaging.file(path);
            Findings findings = all.about(path);
            findings.demand(text.contains("\nARG BASE\nFROM ") && text.lines()
                    .filter(line -> line.startsWith("FROM "))
                    .allMatch(line -> line.matches("FROM [$][{]BASE[}]( AS .*)?")),
                    "has a fixed base");
            findings.demand(text.contains("\nENTRYPOINT ["), "starts through a shell");
            findings.demand(!text.contains(":latest"), "uses the tag latest");
        });
    }
}
