package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.rush.testing.Command;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Every set of manifests builds reproducibly and satisfies every rule. */
class ManifestsTest {

    static final List<String> OVERLAYS =
            Kustomize.SETS.stream().filter(set -> !set.contains("+")).toList();

    @ParameterizedTest
    @FieldSource("OVERLAYS")
    void buildIsReproducible(String set) {
        Kustomize.assumeKubectl();

        assertThat(Kustomize.yaml(set)).isNotBlank().isEqualTo(Kustomize.yaml(set));
    }

    @Test
    void redisBuildsAlone() {
        Kustomize.assumeKubectl();

        String yaml = Command.run("kubectl", "kustomize", "k8s/redis").output();
        List<String> objects = Kustomize.parse(yaml).stream().map(Packaging::id).toList();

        assertThat(objects).contains("StatefulSet/redis", "Service/redis", "Job/redis-create");
    }

    @TestFactory
    Stream<DynamicTest> everySetSatisfiesEveryRule() {
        Kustomize.assumeKubectl();
        return Kustomize.SETS.stream().map(Kustomize::render).flatMap(packaging ->
                Rule.OF_MANIFESTS.stream().map(rule -> dynamicTest(packaging.name() + ": " + rule,
                        () -> assertThat(rule.findings(packaging))
                                .as(rule + " in " + packaging.name()).isEmpty())));
    }

    @TestFactory
    Stream<DynamicTest> filesSatisfyEveryRule() {
        Packaging files = new Packaging("files", List.of(), Kustomize.files());
        return Rule.OF_FILES.stream().map(rule -> dynamicTest(rule.toString(),
                () -> assertThat(rule.findings(files)).as(rule.toString()).isEmpty()));
    }
}
