package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rules themselves are tested: each mistake is made in a copy of manifests that keep every
 * rule, and then exactly the rule that it belongs to must speak. A rule without a mistake counts as
 * broken. MonokleTest does the same for the rules that are not our own.
 */
class MutationTest {

    private static final List<Rule> RULES =
            Stream.concat(Rules.OF_MANIFESTS.stream(), Rules.OF_FILES.stream()).toList();

    static Stream<Mutation> mistakes() {
        return Mutation.all().stream().filter(mutation -> !mutation.ofMonokle());
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void mistakeIsFoundByItsRuleAlone(Mutation mistake) {
        Packaging mutated = mistake.make();
        List<Rule> rules = mistake.ofFile() ? RULES : Rules.OF_MANIFESTS;

        assertThat(rules.stream().filter(rule -> !rule.findings(mutated).isEmpty()))
                .extracting(Rule::name).containsExactly(mistake.rule());
    }

    @Test
    void everyRuleHasAMistake() {
        assertThat(mistakes().map(Mutation::rule))
                .containsAll(RULES.stream().map(Rule::name).toList());
    }
}
