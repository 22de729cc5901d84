package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environment;
import dev.rush.testing.Setting;
import dev.rush.testing.StrictPods;
import dev.rush.testing.TestSale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Refusals take precedence in the order of the contract. Each pair of causes that can apply at once
 * is set up, and the earlier must be the answer: P1, P3–P5, P8–P12, X4, X5.
 */
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER"})
class PrecedenceIT {
    /** An environment whose shared pod is strict. */
    @Parameter
    Setting setting;

    private Environment environment() {
        return setting == Setting.SINGLE ? StrictPods.single() : StrictPods.cluster();
    }

    static Stream<Arguments> pairs() {
        List<Arguments> pairs = new ArrayList<>();
        for (Cause earlier : Cause.values()) {
            Arrays.stream(Cause.values()).skip(earlier.ordinal() + 1).filter(earlier::meets)
                    .forEach(later -> pairs.add(Arguments.of(earlier, later)));
        }
        return pairs.stream();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("One case per word")
    void causeAloneIsTheAnswer(Cause cause) {
        assertAnswer(cause, Scene.of(environment(), List.of(cause)));
    }

    @ParameterizedTest(name = "{0} before {1}")
    @MethodSource("pairs")
    @DisplayName("One case per pair")
    void earlierCauseIsTheAnswer(Cause earlier, Cause later) {
        assertAnswer(earlier, Scene.of(environment(), List.of(later, earlier)));
        if (earlier.line() != null && later.line() != null) {
            assertAnswer(earlier, Scene.of(environment(), List.of(earlier, later)));
        }
    }

    @Test
    @DisplayName("P6: of two lines with the same word, the earlier line is named")
    void earlierLineIsNamed() {
        TestSale sale = TestSale.of(environment(), "a:5:1,b:5:1,c:0:0,d:0:0,e:1:0,f:1:0,g:9:0");

        assertNames(sale, "x", "unknown-item", "g,x,y");
        assertNames(sale, "y", "unknown-item", "g,y,x");
        assertNames(sale, "a", "limit-reached", "g,a:2,b:2");
        assertNames(sale, "b", "limit-reached", "c,b:2,a:2");
        assertNames(sale, "c", "sold-out", "g,c,d");
        assertNames(sale, "d", "sold-out", "e:2,d,c");
        assertNames(sale, "e", "insufficient-stock", "g,e:2,f:2");
        assertNames(sale, "f", "insufficient-stock", "f:2,e:2");
    }

    @Test
    @DisplayName("P3, P5: limit-reached comes before sold-out, unless the pod has cached that")
    void limitComesBeforeSoldOutOnOneLine() {
        TestSale sale = TestSale.of(environment(), "apple:0:1");

        refused(sale.buy(fresh("user"), "apple:2"), "limit-reached");
        refused(sale.buy(fresh("user"), "apple:2", "k"), "limit-reached");
        refused(sale.buy(fresh("user"), "apple"), "sold-out");
        refused(sale.buy(fresh("user"), "apple:2", "k"), "limit-reached");
        assertThat(sale.buy(fresh("user"), "apple:2").word()).isIn("limit-reached", "sold-out");
    }

    private void assertNames(TestSale sale, String sku, String word, String lines) {
        Answer answer = refused(sale.buy(fresh("user"), lines), word);
        assertThat(answer.body().path("sku").asText()).as("%s of %s", word, lines).isEqualTo(sku);
    }

    private static void assertAnswer(Cause cause, Scene scene) {
        Answer answer = scene.purchase();
        if (cause == Cause.REPLAYED) {
            is(201, answer);
            assertThat(answer.header("Idempotency-Replayed")).isEqualTo("true");
        } else {
            refused(answer, cause.word());
        }
    }
}
