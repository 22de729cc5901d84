package dev.rush.packaging;

import static java.util.stream.Collectors.toCollection;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * All keys of one script call share a hash tag. In Java the compiler sees to that: a call takes
 * {@code Partition.Keys}, which only a partition makes. Here is what it cannot see: that no other
 * class spells a key or sends a script by itself, and that no script makes up a key. That the tag
 * of a partition leads into its slot, PartitionsTest shows.
 */
final class KeyRules {

    /** What only one class may say, by what it is: how a key begins, and how a script is sent. */
    private static final Map<String, String> ONLY = Map.of(
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
                .forEach(path -> lua(packaging.file(path), findings.about(path)));
        packaging.paths("src/main/java/", ".java").forEach(path -> ONLY.forEach((text, owner) ->
                findings.demand(path.equals(owner) || !packaging.file(path).contains(text),
                        path + " says " + text)));
    }

    /** Scripts use the keys that they are given, by their names, and no others. */
    private static void lua(String script, Findings findings) {
        Set<String> keys = LUA_KEY.matcher(script).results().map(found -> found.group(1))
                .collect(toCollection(TreeSet::new));
        LUA_EACH.matcher(script).results().map(found -> found.group(1)).forEach(keys::add);
        LUA_FUNCTION.matcher(script).results()
                .filter(found -> Pattern.compile("(?<!function )\\b" + found.group(1)
                                + "\\(([^()]*)\\)").matcher(script).results()
                        .allMatch(call -> keys.contains(call.group(1))))
                .map(found -> found.group(2)).forEach(keys::add);
        findings.demand(!script.matches("(?s).*['\"]rush:.*"), "names a key that it was not given");
        LUA_CALL.matcher(script).results().filter(call -> !KEYLESS.contains(call.group(1)))
                .map(KeyRules::key)
                .forEach(key -> findings.demand(
                        Stream.of(key.split(" or ")).allMatch(keys::contains),
                        "makes up the key " + key));
    }

    /** The first argument of a call; a choice between keys is written {@code a or b}. */
    private static String key(MatchResult call) {
        String key = call.group(2) == null ? "" : call.group(2).strip();
        return key.replaceFirst("^\\w+ == '[^']*' and ", "");
    }
}
