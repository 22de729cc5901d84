package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.AclUser;
import dev.rush.testing.Sources;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The Redis user of the manifests may send exactly the commands of scripts and code. */
class AclTest {
    /** Commands with subcommands. */
    private static final Set<String> CONTAINERS = Set.of("CLUSTER", "SCRIPT");
    private static final Pattern IN_LUA = Pattern.compile("\\bp?call\\(\\s*['\"](\\w+)");
    private static final Pattern IN_JAVA = Pattern.compile(
            "(?:Command\\.|\\.(?:command|read)\\(\\s*\")([A-Z]{3,})\\b"
                    + "(?:(?:\\)\\s*\\.arg\\(|,\\s*)\"([A-Z]+)\")?");

    @Test
    void commandsThatScriptsSendAreAllowed() {
        assertThat(AclUser.commands()).containsAll(sent("src/main/resources/lua", ".lua", IN_LUA));
    }

    @Test
    void commandsThatTheServiceSendsAreAllowed() {
        Set<String> sent = sent("src/main/java", ".java", IN_JAVA);
        assertThat(sent).contains("cluster|slots", "script|load", "evalsha", "xrange");
        assertThat(AclUser.commands()).containsAll(sent);
    }

    @Test
    void nothingElseIsAllowed() {
        String sources = Stream.concat(Sources.files("src/main/java", ".java").stream(),
                Sources.files("src/main/resources", ".lua").stream())
                .map(Sources::text).collect(Collectors.joining());
        assertThat(AclUser.commands()).allMatch(command -> Pattern.compile("[\"'.]" + command
                .substring(command.indexOf('|') + 1).toUpperCase(Locale.ROOT) + "\\b")
                .matcher(sources).find());
    }

    private static Set<String> sent(String folder, String suffix, Pattern command) {
        Set<String> sent = new TreeSet<>();
        for (var file : Sources.files(folder, suffix)) {
            Matcher found = command.matcher(Sources.text(file));
            while (found.find()) {
                boolean hasSubcommand = CONTAINERS.contains(found.group(1))
                        && found.groupCount() > 1 && found.group(2) != null;
                sent.add((found.group(1) + (hasSubcommand ? "|" + found.group(2) : ""))
                        .toLowerCase(Locale.ROOT));
            }
        }
        assertThat(sent).as("found in " + folder).isNotEmpty();
        return sent;
    }
}
