package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Sources;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** docs/reference/problems.md explains every problem, and each of its sections is a page. */
class ProblemsReferenceTest {
    private static final String TEXT =
            Sources.text(Path.of("docs", "reference", "problems.md"));
    private static final Map<String, String> SECTIONS = sections();
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private static Map<String, String> sections() {
        Map<String, String> sections = new LinkedHashMap<>();
        Arrays.stream(TEXT.split("\n## ")).skip(1).forEach(section ->
                sections.put(section.lines().findFirst().orElseThrow(), section));
        return sections;
    }

    @Test
    void itHasTheWordsOfTheServiceInTheirOrder() {
        assertThat(SECTIONS.keySet()).containsExactlyElementsOf(OutcomeCode.problems());
    }

    @Test
    void eachSectionHasStatusTitleAndFourPoints() {
        SECTIONS.forEach((word, section) -> {
            assertThat(section).contains(
                    "\n\n" + OutcomeCode.of(word).status() + ": "
                            + OutcomeCode.of(word).title() + ".\n\n");
            assertThat(section.lines().filter(line -> line.startsWith("- "))
                    .map(line -> line.replaceFirst("(\\*\\*: ).*", "$1")))
                    .as(word).containsExactly("- **Cause**: ", "- **Remedy**: ",
                            "- **Members**: ", "- **Retry**: ");
        });
    }

    @Test
    void theMembersAreThoseOfTheExamplesInOpenApi() {
        SECTIONS.forEach((word, section) -> {
            String members = section.replaceFirst("(?s).*\\*\\*Members\\*\\*:", "")
                    .replaceFirst("(?s)\n- .*", "");
            Set<String> named = CODE.matcher(members).results().map(MatchResult::group)
                    .map(code -> code.replace("`", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(named).as(word)
                    .isEqualTo(new TreeSet<>(
                            OpenApiProblems.members(OutcomeCode.of(word)).keySet()));
        });
    }

    @Test
    void eachSectionIsRenderedCompletely() {
        Map<String, String> pages = ProblemPages.pages(TEXT);
        assertThat(pages.keySet()).containsExactlyInAnyOrderElementsOf(OutcomeCode.problems());
        pages.forEach((word, page) -> {
            assertThat(page).startsWith("<!doctype html>").contains("<h1>" + word + "</h1>",
                    "<li><strong>Cause</strong>: ").doesNotContain("`", "**", "](", "\n- ");
            assertThat(page.replaceAll("</?(html|meta|title|h1|p|ul|li|strong|code|!doctype)\\b"
                    + "[^<>]*>|<!doctype html>", "")).as(word).doesNotContain("<", ">");
        });
    }

    @Test
    void textIsEscaped() {
        assertThat(ProblemPages.pages("# X\n\n## odd\n\na < b & `c > d`\n").get("odd"))
                .contains("<p>a &lt; b &amp; <code>c &gt; d</code></p>");
    }
}
