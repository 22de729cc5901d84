package dev.rush.sale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.http.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** P1, I7: the lines of a purchase, their limits, and the digest that distinguishes two bodies. */
class PurchaseRequestTest {

    private static PurchaseRequest.Line line(String sku, Long quantity) {
        return new PurchaseRequest.Line(sku, quantity);
    }

    private static PurchaseLines lines(PurchaseRequest.Line... lines) {
        return new PurchaseRequest(Arrays.asList(lines)).lines(100);
    }

    private static String refusal(List<PurchaseRequest.Line> lines) {
        try {
            return "accepted " + new PurchaseRequest(lines).lines(100);
        } catch (ProblemException e) {
            return new String(e.problem().body(), StandardCharsets.UTF_8);
        }
    }

    @Test
    @DisplayName("P1: an omitted quantity is 1")
    void omittedQuantityIsOne() {
        assertThat(lines(line("a", null)))
                .isEqualTo(new PurchaseLines("a:1", "=", Map.of("a", 1L)));
        assertThat(lines(line("a", 100L)).text()).isEqualTo("a:100");
        assertThat(lines(line("a", 1L)).units()).isEqualTo(Map.of("a", 1L));
    }

    @Test
    @DisplayName("P1: lines of one item are added up, in the order of the first")
    void linesOfOneItemAreAddedUp() {
        PurchaseLines lines = lines(line("b", 2L), line("a", null), line("b", 3L));
        assertThat(lines.text()).isEqualTo("b:5,a:1");
        assertThat(lines.digest()).isEqualTo("a:1,b:5");
        assertThat(lines.units()).containsExactly(Map.entry("b", 5L), Map.entry("a", 1L));
        assertThat(lines(line("a", 1L), line("a", 1L)).digest()).isEqualTo("=");
    }

    @Test
    @DisplayName("I7: the same lines in any order have the same digest, other lines another")
    void digestDistinguishesBodies() {
        String longest = "x".repeat(30);
        Map<String, Long> plain = new LinkedHashMap<>();
        plain.put(longest + "a", 1L);
        plain.put(longest.substring(5) + "b", 10L);
        assertThat(PurchaseLines.of(plain).text()).hasSize(63);
        assertThat(PurchaseLines.of(plain).digest()).hasSize(63).contains(":10");
        Map<String, Long> edge = new LinkedHashMap<>();
        edge.put(longest + "a", 1L);
        edge.put(longest.substring(4) + "b", 10L);
        assertThat(PurchaseLines.of(edge).digest()).hasSize(64).contains(":10");
        Map<String, Long> hashed = new LinkedHashMap<>();
        hashed.put(longest + "a", 1L);
        hashed.put(longest.substring(3) + "b", 10L);
        Map<String, Long> reordered = new LinkedHashMap<>();
        reordered.put(longest.substring(3) + "b", 10L);
        reordered.put(longest + "a", 1L);
        assertThat(PurchaseLines.of(hashed).digest()).matches("[0-9a-f]{64}")
                .isEqualTo(PurchaseLines.of(reordered).digest());
        reordered.put(longest + "a", 2L);
        assertThat(PurchaseLines.of(hashed).digest())
                .isNotEqualTo(PurchaseLines.of(reordered).digest());
    }

    @Test
    @DisplayName("P1: a body has 1 to 20 lines, each an item and 1 to the sale's quantity")
    void limitsAreEnforced() {
        assertThat(refusal(null)).contains("\"items\"");
        assertThat(refusal(List.of())).contains("\"items\"");
        assertThat(refusal(Collections.nCopies(21, line("a", 1L)))).contains("\"items\"");
        assertThat(refusal(Collections.nCopies(20, line("a", 1L)))).startsWith("accepted ");
        assertThat(refusal(List.of(line("a", 0L)))).contains("\"items[0].quantity\"");
        assertThat(refusal(List.of(line("a", 101L)))).contains("\"items[0].quantity\"");
        assertThat(refusal(List.of(line(null, 1L)))).contains("\"items[0].sku\"");
        assertThat(refusal(Arrays.asList((PurchaseRequest.Line) null))).contains("\"items[0]\"");
        List<PurchaseRequest.Line> two = new ArrayList<>(List.of(line("a", 1L)));
        two.add(null);
        assertThat(refusal(two)).contains("\"items[1]\"");
        assertThat(refusal(List.of(line("a b", 0L), line("b", 1L))))
                .contains("\"items[0].sku\"").contains("\"items[0].quantity\"");
    }
}
