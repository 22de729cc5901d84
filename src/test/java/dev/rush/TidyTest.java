package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Sources;
import dev.rush.testing.Sources.Function;
import dev.rush.testing.Sources.JavaFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** House rules on the size of files and functions, on libraries, package names and test lists. */
class TidyTest {
    private static final int FILE_LINES_MAX = 300;
    private static final int FUNCTION_LINES_MAX = 70;
    private static final int COLUMNS_MAX = 100;
    private static final Set<String> LAYERS = Set.of("api", "common", "config", "controller",
            "controllers", "core", "dao", "domain", "dto", "entity", "helper", "helpers", "impl",
            "internal", "manager", "mapper", "mapping", "model", "models", "repository", "rest",
            "service", "services", "shared", "types", "util", "utils", "web");

    private static final List<JavaFile> MAIN = Sources.java("src/main/java");

    @Test
    void noFileIsTooLong() {
        assertThat(sources().filter(
                file -> Sources.text(file).lines().count() > FILE_LINES_MAX))
                .as("files of more than %d lines", FILE_LINES_MAX).isEmpty();
    }

    @Test
    void noLineIsWiderThanAHundredColumns() {
        List<String> wide = new ArrayList<>();
        sources().forEach(file -> {
            List<String> lines = Sources.text(file).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).codePointCount(0, lines.get(i).length()) > COLUMNS_MAX) {
                    wide.add(file + ":" + (i + 1));
                }
            }
        });
        assertThat(wide).as("lines wider than %d columns", COLUMNS_MAX).isEmpty();
    }

    @Test
    void noFunctionIsLongerThanAScreen() {
        List<Function> functions = new ArrayList<>();
        MAIN.forEach(file -> functions.addAll(file.functions()));
        for (String folder : List.of("src/dev", "src/test", "src/bench", "bench",
                "examples/shop/src")) {
            Sources.java(folder).forEach(file -> functions.addAll(file.functions()));
        }
        Sources.files("src", ".lua").forEach(file -> functions.addAll(Sources.lua(file)));

        assertThat(functions).hasSizeGreaterThan(100);
        assertThat(functions.stream().filter(f -> f.lines() > FUNCTION_LINES_MAX))
                .as("functions of more than %d lines", FUNCTION_LINES_MAX).isEmpty();
    }

    @Test
    void lombokIsNotUsed() {
        assertThat(Sources.text(Path.of("pom.xml"))).doesNotContain("lombok");
    }

    @Test
    void packagesAreNamedAfterTheirDataNotAfterLayers() {
        for (JavaFile file : MAIN) {
            assertThat(file.packageName().split("\\.")).as(file.path().toString())
                    .doesNotContainAnyElementsOf(LAYERS);
        }
    }

    @Test
    void suitesListedForTheNativeExecutableExist() {
        List<String> suites = Sources.text(Path.of("src/test/native-tests.txt")).lines()
                .filter(line -> !line.startsWith("#")).toList();

        assertThat(suites).isNotEmpty().doesNotHaveDuplicates().allSatisfy(suite -> assertThat(
                Path.of("src/test/java/dev/rush", suite.substring("**/".length()))).exists());
    }

    private static Stream<Path> sources() {
        return Stream.of(
                Sources.files("src", ".java", ".lua", ".sql", ".properties", ".sh", ".js", ".css",
                        ".html", ".mjs"),
                Sources.files("src/main/docker", ""),
                Sources.files("k8s", ".yaml", ".conf", ".sh"),
                Sources.files("bench", ".java", ".lua", ".sh"),
                Sources.files("examples/shop/src", ".java", ".html")).flatMap(List::stream);
    }
}
