package dev.rush.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files themselves: none is forgotten, the README names them, and they read alike. */
final class TreeRules {

    /** Read by people and by promtool, not by kustomize. */
    private static final Set<String> APART =
            Set.of("k8s/README.md", MetricRules.TESTS + "books.yaml",
                    MetricRules.TESTS + "calm.yaml", MetricRules.TESTS + "ledger.yaml",
                    MetricRules.TESTS + "redis.yaml", MetricRules.TESTS + "service.yaml");

    private static final List<String> REFERENCES = List.of("resources", "components", "patches",
            "configMapGenerator", "secretGenerator", "configurations");

    private static final Pattern REGISTRY =
            Pattern.compile("\\b(docker|quay|ghcr|gcr|azurecr)\\.io\\b");

    private static final int COLUMNS = 100;

    private TreeRules() {
    }

    /** Every file is part of some kustomization. */
    static Stream<String> reachable(Packaging packaging) {
        Set<String> used = packaging.paths("k8s/", "kustomization.yaml")
                .flatMap(path -> Kustomize.parse(packaging.file(path)).stream()
                        .flatMap(kustomization -> REFERENCES.stream()
                                .flatMap(field -> texts(kustomization.path(field))))
                        .map(text -> Path.of(path).resolveSibling(text).normalize().toString()))
                .collect(Collectors.toSet());
        return packaging.paths("k8s/", "")
                .filter(path -> !APART.contains(path) && !used.contains(path))
                .filter(path -> !isEntry(path, used))
                .map(path -> path + " belongs to no kustomization");
    }

    /** A kustomization that users name themselves, or whose folder another one names. */
    private static boolean isEntry(String path, Set<String> used) {
        return path.matches("k8s/(overlays|components)/[^/]+/kustomization.yaml")
                || path.endsWith("/kustomization.yaml")
                && used.contains(Path.of(path).getParent().toString());
    }

    /** Paths among the values; a generator may write {@code key=path}. */
    private static Stream<String> texts(JsonNode node) {
        if (node.isTextual()) {
            String text = node.asText().replaceFirst("^[\\w.-]+=", "");
            return text.contains("\n") || text.contains(" ") ? Stream.empty() : Stream.of(text);
        }
        return Packaging.each(node).flatMap(TreeRules::texts);
    }

    /** The tree in the README lists each file, or its folder, and nothing that is not there. */
    static Stream<String> readme(Packaging packaging) {
        List<String> listed = packaging.file("k8s/README.md").split("```")[1].lines().skip(1)
                .map(line -> "k8s/" + line.trim().split("\\s+")[0])
                .toList();
        List<String> files = packaging.paths("k8s/", "").toList();
        return Stream.concat(
                listed.stream()
                        .filter(entry -> files.stream().noneMatch(file -> covers(entry, file)))
                        .map(entry -> entry + " is in the README only"),
                files.stream()
                        .filter(file -> listed.stream().noneMatch(entry -> covers(entry, file)))
                        .map(file -> file + " is not in the README"));
    }

    private static boolean covers(String entry, String file) {
        return entry.endsWith("/") ? file.startsWith(entry) : file.equals(entry);
    }

    /** Lines end where they should, and no file names a registry. */
    static Stream<String> style(Packaging packaging) {
        return Stream.concat(packaging.paths("k8s/", ""), packaging.paths("src/main/docker/", ""))
                .flatMap(path -> Stream.of(
                        packaging.file(path).contains("\t") ? "has tabs" : "",
                        packaging.file(path).contains("\r") ? "has carriage returns" : "",
                        packaging.file(path).matches("(?s).*[ ]\n.*") ? "has trailing blanks" : "",
                        wide(path, packaging.file(path)) ? "is wider than 100 columns" : "",
                        ended(path, packaging.file(path)) ? "" : "does not end with a line end",
                        REGISTRY.matcher(packaging.file(path)).find() ? "names a registry" : "")
                        .filter(finding -> !finding.isEmpty())
                        .map(finding -> path + " " + finding));
    }

    /** Values of JSON, of .env files and of ACLs cannot be wrapped. */
    private static boolean wide(String path, String text) {
        boolean wrapped = !path.matches(".*[.](json|env|acl)");
        return wrapped && text.lines().anyMatch(line -> line.length() > COLUMNS);
    }

    private static boolean ended(String path, String text) {
        return path.contains("/secrets/") || text.endsWith("\n");
    }

    /** Images stand on a base that the builder chooses, and start without a shell. */
    static Stream<String> dockerfiles(Packaging packaging) {
        return packaging.paths("src/main/docker/", "").flatMap(path -> {
            String text = packaging.file(path);
            return Stream.of(
                    text.matches("(?s).*\nARG BASE\nFROM .*")
                            && text.lines().filter(line -> line.startsWith("FROM "))
                                    .allMatch(line -> line.matches("FROM [$][{]BASE[}]( AS .*)?"))
                            ? "" : "stands on a fixed base",
                    text.matches("(?s).*\nENTRYPOINT \\[.*") ? "" : "starts through a shell",
                    text.contains(":latest") ? "is built from whatever is latest" : "")
                    .filter(finding -> !finding.isEmpty())
                    .map(finding -> path + " " + finding);
        });
    }
}
