package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Sources;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests cite each row of requirements.md and guarantees.md, and no other id. */
class RequirementsTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([A-Z]\\d{1,2}) \\|");
    /** How tests cite: {@code "P3, P5: a sentence"}, or the same at the beginning of a comment. */
    private static final Pattern CITED = Pattern.compile(
            "(?:\"|/\\*\\* |\\* |\\()((?:[A-Z]\\d{1,2}, )*[A-Z]\\d{1,2})(?:: |\\))");

    @Test
    void rowsAreThoseThatTestsCite() {
        Set<String> cited = new TreeSet<>();
        for (Path file : Sources.files("src/test/java", ".java")) {
            CITED.matcher(Sources.text(file)).results()
                    .forEach(list -> cited.addAll(Set.of(list.group(1).split(", "))));
        }
        Set<String> rows = new TreeSet<>(rows("docs/reference/requirements.md"));
        rows.addAll(rows("docs/guarantees.md"));
        assertThat(rows).isEqualTo(cited);
    }

    private static Set<String> rows(String document) {
        Set<String> rows = new TreeSet<>();
        ROW.matcher(Sources.text(Path.of(document))).results()
                .forEach(row -> assertThat(rows.add(row.group(1))).as(row.group()).isTrue());
        return rows;
    }
}
