package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the rules themselves: each mistake is made in a copy of valid manifests, and must be found
 * by its rule and by no other. Every rule needs a mistake. MonokleTest does the same for Monokle's
 * rules.
 */
class MutationTest {

    private static final Set<Rule> RULES = EnumSet.allOf(Rule.class);

    static Stream<Mutation> mistakes() {
        return Mutation.all().stream().filter(mutation -> !mutation.ofMonokle());
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void mistakeIsFoundByItsRuleOnly(Mutation mistake) {
        Packaging mutated = mistake.apply();
        Set<Rule> rules = mistake.ofFile() ? RULES : Rule.OF_MANIFESTS;

        assertThat(rules.stream().filter(rule -> !rule.findings(mutated).isEmpty()))
                .extracting(Rule::toString).containsExactly(mistake.rule());
    }

    @Test
    void everyRuleHasAMistake() {
        assertThat(mistakes().map(Mutation::rule))
                .containsAll(RULES.stream().map(Rule::toString).toList());
    }
}
