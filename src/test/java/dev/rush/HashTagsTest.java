package dev.rush;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Sources;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * All keys of one script call share a hash tag. In Java the compiler ensures that: a call takes
 * {@code Partition.Keys}, which only a partition creates. These tests cover the rest: no other
 * class spells out a key or sends a script, and no script makes up a key. PartitionsTest shows that
 * the tag of a partition maps to its slot.
 */
class HashTagsTest {

    /** Texts that only one file may contain: the prefix of keys and the command for scripts. */
    private static final Map<String, String> OWNERS = Map.of(
            "\"rush:{", "src/main/java/dev/rush/redis/Partition.java",
            "Command.EVAL", "src/main/java/dev/rush/redis/Script.java");

    private static final Pattern LUA_KEY = Pattern.compile("(?m)^KEYS\\[\\d+\\] (\\w+) ");
    private static final Pattern LUA_EACH = Pattern.compile("for \\w+, (\\w+) in ipairs\\(KEYS\\)");
    private static final Pattern LUA_FUNCTION =
            Pattern.compile("local function (\\w+)\\((\\w+)\\)");
    private static final Pattern LUA_CALL =
            Pattern.compile("redis\\.p?call\\(\\s*'(\\w+)'(?:,\\s*([^,()]*))?");

    private static final Pattern LUA_SPELLED = Pattern.compile("['\"]rush:");

    /** Commands that take no key. */
    private static final Set<String> KEYLESS = Set.of("TIME", "INFO");

    @Test
    void onlyPartitionsMakeKeys() {
        List<Path> scripts = Sources.files("src/main/resources/lua", ".lua");
        List<Path> classes = Sources.files("src/main/java", ".java");

        assertThat(scripts).isNotEmpty()
                .allSatisfy(file -> assertThat(inScript(Sources.text(file))).isEmpty());
        assertThat(classes).isNotEmpty().allSatisfy(file ->
                assertThat(inClass(file.toString(), Sources.text(file))).isEmpty());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "sale/take | redis.call('HINCRBY', stock, | redis.call('HINCRBY', stock .. ':copy',",
        "sale/take | redis.call('HINCRBY', stock, | stock = 'rush:a' redis.call('HINCRBY', stock,",
        "rain/prepare | same(draft) | same(ARGV[1])"})
    void keyThatAScriptMakesUpIsFound(String script, String good, String bad) {
        String text = Sources.text(Path.of("src/main/resources/lua", script + ".lua"));
        assertThat(text).contains(good);
        assertThat(inScript(text.replace(good, bad))).isNotEmpty();
    }

    @Test
    void textsOfOtherClassesAreFound() {
        assertThat(OWNERS).hasSize(2).allSatisfy((text, owner) -> {
            assertThat(Sources.text(Path.of(owner))).contains(text);
            assertThat(inClass("Other.java", Sources.text(Path.of(owner)))).isNotEmpty();
        });
    }

    /** Returns the texts in a Java file that only another one may contain. */
    private static List<String> inClass(String path, String text) {
        return OWNERS.entrySet().stream()
                .filter(owner -> text.contains(owner.getKey()) && !path.equals(owner.getValue()))
                .map(Map.Entry::getKey).toList();
    }

    /** Returns the keys of a script that are not in its header, by their names. */
    private static List<String> inScript(String text) {
        Set<String> keys = LUA_KEY.matcher(text).results().map(found -> found.group(1))
                .collect(toCollection(TreeSet::new));
        LUA_EACH.matcher(text).results().map(found -> found.group(1)).forEach(keys::add);
        LUA_FUNCTION.matcher(text).results()
                .filter(found -> Pattern.compile("(?<!function )\\b" + found.group(1)
                                + "\\(([^()]*)\\)").matcher(text).results()
                        .allMatch(call -> keys.contains(call.group(1))))
                .map(found -> found.group(2)).forEach(keys::add);
        return Stream.concat(
                LUA_SPELLED.matcher(text).results().map(MatchResult::group),
                LUA_CALL.matcher(text).results().filter(call -> !KEYLESS.contains(call.group(1)))
                        .flatMap(call -> Stream.of(key(call).split(" or ")))
                        .filter(key -> !keys.contains(key))).toList();
    }

    /** Returns the first argument of a call, which may be a choice: {@code a or b}. */
    private static String key(MatchResult call) {
        String key = call.group(2) == null ? "" : call.group(2).strip();
        return key.replaceFirst("^\\w+ == '[^']*' and ", "");
    }
}
