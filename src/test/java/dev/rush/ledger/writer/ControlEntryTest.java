package dev.rush.ledger.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Sources;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Compares the changes that scripts pass to the ledger with those that the ledger knows: the reader
 * drops others. A script names the action of a change, or its header lists the caller's.
 */
class ControlEntryTest {
    private static final String INCLUDE = "\n-- include control\n";
    private static final Pattern KEEP = Pattern.compile("\\bkeep\\(([^,]*),");
    private static final Pattern LISTED =
            Pattern.compile("(?m)^ARGV.*\\baction +([a-z]+(?:(?:, | or )[a-z]+)+)");

    private static List<Path> scripts() {
        return Sources.files("src/main/resources/lua", ".lua");
    }

    private static Set<String> actions(String script) {
        Set<String> actions = new TreeSet<>();
        for (MatchResult call : KEEP.matcher(script).results().toList()) {
            String action = call.group(1);
            if (action.equals("action")) {
                Matcher listed = LISTED.matcher(script);
                assertThat(listed.find()).as(script).isTrue();
                actions.addAll(List.of(listed.group(1).split(", | or ")));
            } else {
                assertThat(action).as(script).matches("'[a-z-]+'");
                actions.add(action.substring(1, action.length() - 1));
            }
        }
        return actions;
    }

    @Test
    @DisplayName("A1: the ledger knows every change that a script decides")
    void actions() {
        Set<String> all = new TreeSet<>();
        for (Path path : scripts()) {
            String script = Sources.text(path);
            assertThat(script).as("only include/control writes changes").doesNotContain(
                    "'XADD', control");
            if (script.contains(INCLUDE)) {
                assertThat(actions(script)).as("actions of %s", path).isNotEmpty();
                all.addAll(actions(script));
            }
        }
        assertThat(all).isEqualTo(ControlEntry.DONE.keySet());
    }
}
