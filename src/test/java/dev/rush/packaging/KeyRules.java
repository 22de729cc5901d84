package dev.rush.packaging;

import static java.util.stream.Collectors.toCollection;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * All keys of one script call share a hash tag. In Java the compiler ensures that: a call takes
 * {@code Partition.Keys}, which only a partition creates. These rules cover the rest: no other
 * class spells out a key or sends a script, and no script makes up a key. PartitionsTest shows that
 * the tag of a partition maps to its slot.
 */
final class KeyRules {

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

    /** Commands that take no key. */
    private static final Set<String> KEYLESS = Set.of("TIME", "INFO");

    private KeyRules() {
    }

    static void hashTags(Packaging packaging, Findings findings) {
        packaging.paths("src/main/resources/lua/", ".lua")
                .forEach(path -> script(packaging.file(path), findings.about(path)));
        packaging.paths("src/main/java/", ".java").forEach(path -> OWNERS.forEach((text, owner) ->
                findings.demand(path.equals(owner) || !packaging.file(path).contains(text),
                        path + " contains " + text)));
    }

    /** A script uses only the keys in its header, by their names. */
    private static void script(String text, Findings findings) {
        Set<String> keys = LUA_KEY.matcher(text).results().map(found -> found.group(1))
                .collect(toCollection(TreeSet::new));
        LUA_EACH.matcher(text).results().map(found -> found.group(1)).forEach(keys::add);
        LUA_FUNCTION.matcher(text).results()
                .filter(found -> Pattern.compile("(?<!function )\\b" + found.group(1)
                                + "\\(([^()]*)\\)").matcher(text).results()
                        .allMatch(call -> keys.contains(call.group(1))))
                .map(found -> found.group(2)).forEach(keys::add);
        findings.demand(!text.matches("(?s).*['\"]rush:.*"), "spells out a key");
        LUA_CALL.matcher(text).results().filter(call -> !KEYLESS.contains(call.group(1)))
                .map(KeyRules::key)
                .forEach(key -> findings.demand(
                        Stream.of(key.split(" or ")).allMatch(keys::contains),
                        "makes up the key " + key));
    }

    /** Returns the first argument of a call, which may be a choice: {@code a or b}. */
    private static String key(MatchResult call) {
        String key = call.group(2) == null ? "" : call.group(2).strip();
        return key.replaceFirst("^\\w+ == '[^']*' and ", "");
    }
}
