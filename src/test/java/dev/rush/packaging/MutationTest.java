package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The rules themselves are tested: each mistake is made in a copy of manifests that keep every
 * rule, and then exactly the rule that it belongs to must speak. A rule without a mistake counts as
 * broken.
 */
class MutationTest {

    private static final List<Rule> RULES =
            Stream.concat(Rules.OF_MANIFESTS.stream(), Rules.OF_FILES.stream()).toList();

    @TestFactory
    Stream<DynamicTest> eachMistakeIsFoundByItsRuleAlone() {
        Kustomize.assumeKubectl();
        return Mutations.all().map(mutation -> dynamicTest(
                mutation.rule() + ": " + mutation.change(),
                () -> assertThat(broken(mutation)).as(mutation.change())
                        .containsExactly(mutation.rule())));
    }

    @Test
    void everyRuleHasAMistake() {
        Set<String> rules = RULES.stream().map(Rule::name).collect(Collectors.toSet());
        Set<String> mistaken = Mutations.all().map(Mutation::rule).collect(Collectors.toSet());

        assertThat(mistaken).isEqualTo(rules);
    }

    @Test
    void aMissingFileFailsTheBuild() {
        Kustomize.assumeKubectl();
        Path folder = Path.of("target/kustomize/broken");
        Kustomize.write(folder.resolve("kustomization.yaml"), "resources:\n  - missing.yaml\n");

        Command build = Command.attempt(Map.of(), "kubectl", "kustomize", folder.toString());

        assertThat(build.status()).isNotZero();
        assertThat(build.output()).contains("missing.yaml");
    }

    private static Set<String> broken(Mutation mutation) {
        Packaging mutated = mutation.make().apply(Kustomize.render(mutation.set()));
        return RULES.stream()
                .filter(rule -> !rule.findings(mutated).isEmpty())
                .map(Rule::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
