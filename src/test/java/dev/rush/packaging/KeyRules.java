package dev.rush.packaging;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;

import dev.rush.testing.Sources;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * All keys of one script call share a hash tag: Java makes each of them from the partition that the
 * call goes to, only {@code Partition} writes a tag that varies, and no script makes up a key. That
 * the tag of a partition leads into its slot, PartitionsTest shows.
 */
final class KeyRules {

    private static final String PARTITION = "src/main/java/dev/rush/redis/Partition.java";

    /** The classes that send scripts; all others go through them. */
    private static final Set<String> SENDERS = Set.of(
            "src/main/java/dev/rush/redis/batch/Lane.java",
            "src/main/java/dev/rush/redis/cluster/RedisCommands.java");

    private static final Set<String> OF_A_PARTITION = Set.of("Partition.key", "Partition.orders",
            "Partition.sequence", "Partition.unfinished", ScriptCalls.HANDED_IN);

    /** Keys apart from all partitions, of a fixed tag. */
    private static final Pattern FIXED = Pattern.compile("rush:\\{[a-z]+\\}:[a-z]+");

    private static final Pattern LUA_KEY = Pattern.compile("(?m)^KEYS\\[\\d+\\] (\\w+) ");
    private static final Pattern LUA_EACH = Pattern.compile("for \\w+, (\\w+) in ipairs\\(KEYS\\)");
    private static final Pattern LUA_FUNCTION =
            Pattern.compile("local function (\\w+)\\((\\w+)\\)");
    private static final Pattern LUA_CALL =
            Pattern.compile("redis\\.p?call\\(\\s*'(\\w+)'(?:,\\s*([^,()]*))?");

    private static final Pattern ABOUT_KEYS =
            Pattern.compile("rush:|\\b(Partition\\w*|script|steer|BatchTarget)\\b");

    /** What was read of texts already. */
    private static final Map<String, ScriptCalls> READ = new ConcurrentHashMap<>();

    private KeyRules() {
    }

    static Stream<String> hashTags(Packaging packaging) {
        Stream<String> lua = packaging.paths("src/main/resources/lua/", ".lua")
                .flatMap(path -> lua(packaging.file(path)).map(f -> path + " " + f));
        Map<String, ScriptCalls> java = java(packaging);
        Stream<String> literals = java.entrySet().stream()
                .flatMap(file -> literals(file.getKey(), file.getValue().literals()));
        return Stream.of(literals, senders(packaging), calls(java.values()), lua)
                .flatMap(findings -> findings);
    }

    /** The Java files that have to do with keys, by their paths. */
    private static Map<String, ScriptCalls> java(Packaging packaging) {
        Map<String, String> texts = new TreeMap<>();
        packaging.paths("src/main/java/", ".java")
                .filter(path -> ABOUT_KEYS.matcher(packaging.file(path)).find())
                .forEach(path -> texts.put(path, packaging.file(path)));
        Map<String, String> unread = new TreeMap<>(texts);
        unread.values().removeIf(READ::containsKey);
        Sources.trees(unread).forEach((path, tree) ->
                READ.put(texts.get(path), ScriptCalls.in(tree)));
        Map<String, ScriptCalls> read = new TreeMap<>();
        texts.forEach((path, text) -> read.put(path, READ.get(text)));
        return read;
    }

    private static Stream<String> literals(String path, List<String> keys) {
        if (path.equals(PARTITION)) {
            return keys.equals(List.of("rush:{")) ? Stream.empty()
                    : Stream.of(path + " begins keys with " + keys);
        }
        Stream<String> bad = keys.stream().filter(key -> !FIXED.matcher(key).matches())
                .map(key -> path + " has a key without a fixed hash tag: " + key);
        Set<String> tags = keys.stream().map(key -> key.replaceFirst("}.*", ""))
                .collect(toCollection(TreeSet::new));
        return Stream.concat(bad, tags.size() < 2 ? Stream.empty()
                : Stream.of(path + " mixes the hash tags " + tags));
    }

    private static Stream<String> senders(Packaging packaging) {
        return packaging.paths("src/main/java/", ".java")
                .filter(path -> packaging.file(path).contains("Command.EVAL"))
                .filter(path -> !SENDERS.contains(path))
                .map(path -> path + " sends scripts past RedisCommands and Batcher");
    }

    private static Stream<String> calls(Collection<ScriptCalls> files) {
        Set<String> makers = Stream.concat(OF_A_PARTITION.stream(),
                files.stream().flatMap(file -> file.makers().stream())).collect(toSet());
        return files.stream().flatMap(file -> file.calls().stream())
                .flatMap(call -> call.keys().isEmpty()
                        ? Stream.of(call.where() + " hands no keys over")
                        : call.keys().stream().flatMap(key -> wrong(call, key, makers)));
    }

    private static Stream<String> wrong(
            ScriptCalls.Call call, ScriptCalls.Key key, Set<String> makers) {
        if (!makers.contains(key.maker())) {
            return Stream.of(call.where() + " takes a key from " + key.maker());
        }
        return key.partition().equals(call.partition()) ? Stream.empty() : Stream.of(call.where()
                + " makes a key of " + key.partition() + " for " + call.partition());
    }

    /** Scripts use the keys that they are given, by their names, and no others. */
    private static Stream<String> lua(String script) {
        Set<String> keys = LUA_KEY.matcher(script).results().map(found -> found.group(1))
                .collect(toCollection(TreeSet::new));
        LUA_EACH.matcher(script).results().map(found -> found.group(1)).forEach(keys::add);
        LUA_FUNCTION.matcher(script).results()
                .filter(found -> Pattern.compile("(?<!function )\\b" + found.group(1)
                                + "\\(([^()]*)\\)").matcher(script).results()
                        .allMatch(call -> keys.contains(call.group(1))))
                .map(found -> found.group(2)).forEach(keys::add);
        Stream<String> named = Stream.of(script).filter(text -> text.matches("(?s).*['\"]rush:.*"))
                .map(text -> "names a key that it was not given");
        return Stream.concat(named, LUA_CALL.matcher(script).results()
                .filter(call -> !call.group(1).equals("TIME"))
                .map(KeyRules::key)
                .filter(key -> !Stream.of(key.split(" or ")).allMatch(keys::contains))
                .map(key -> "makes up the key " + key));
    }

    /** The first argument of a call; a choice between keys is written {@code a or b}. */
    private static String key(MatchResult call) {
        String key = call.group(2) == null ? "" : call.group(2).strip();
        return key.replaceFirst("^\\w+ == '[^']*' and ", "");
    }
}
