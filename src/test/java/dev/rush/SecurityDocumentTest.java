package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Sources;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every defence that docs/security.md claims is shown by a test that exists. */
class SecurityDocumentTest {
    private static final String TEXT = Sources.text(Path.of("docs/security.md"));
    private static final Pattern TEST =
            Pattern.compile("`([A-Z]\\w+(?:Test|IT|Rules))(?:\\.([a-z]\\w+))?`");
    private static final Pattern DEFENCE = Pattern.compile("^\\| [^|]+ \\| [^|]+ \\| ([^|]+) \\|$");

    @Test
    void citedTestsExist() {
        List<String> missing = new ArrayList<>();
        List<Path> sources = Sources.files("src/test/java", ".java");
        Matcher cited = TEST.matcher(TEXT);
        while (cited.find()) {
            String name = "/" + cited.group(1) + ".java";
            Optional<Path> file = sources.stream()
                    .filter(path -> path.toString().endsWith(name)).findFirst();
            String method = cited.group(2);
            if (file.isEmpty() || method != null
                    && !Sources.text(file.get()).contains(" " + method + "(")) {
                missing.add(cited.group());
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void everyDefenceCitesATest() {
        List<String> defences = TEXT.lines().filter(line -> DEFENCE.matcher(line).matches())
                .filter(line -> !line.startsWith("| attack |") && !line.startsWith("|--")).toList();

        assertThat(defences).hasSizeGreaterThan(20).allSatisfy(line -> {
            Matcher defence = DEFENCE.matcher(line);
            assertThat(defence.matches()).isTrue();
            assertThat(TEST.matcher(defence.group(1)).find()).as(line).isTrue();
        });
    }
}
