package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.http.OutcomeCode;
import dev.rush.redis.Script;
import dev.rush.testing.Sources;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A script's header says what its body does, and one word means the same everywhere (S1, S2). */
class ScriptsTest {
    private static final String LUA = "src/main/resources/lua";
    private static final String INCLUDE = "src/main/resources/include";
    private static final Pattern NEEDS = Pattern.compile("(?m)^-- Needs (\\w+)\\.lua\\.$");
    /** Replies that help readers of Redis's log; callers need not distinguish them. */
    private static final Set<String> INTERNAL = Set.of("credited", "repeated");
    /** The first words of replies that are data. */
    private static final Set<String> DATA = Set.of("nothing", "for", "by", "user");
    private static final Set<String> READING = Set.of("EXISTS", "GET", "HEXISTS", "HGET", "HGETALL",
            "HLEN", "HMGET", "LLEN", "LRANGE", "SISMEMBER", "TIME", "XLEN", "XRANGE", "XREVRANGE",
            "ZRANGE", "ZSCORE");
    /** Scripts that free memory, or add a few bytes that do not grow with the number of buyers. */
    private static final Set<String> FREEING = Set.of("event/forwarded.lua",
            "event/lease.lua", "http/block.lua", "offer/control.lua", "offer/followed.lua",
            "redis/layout.lua", "redis/tenures.lua", "sale/finish.lua",
            "sale/retake.lua", "order/credit.lua", "order/forget.lua", "order/report.lua",
            "order/tombstone.lua", "sale/give.lua", "sale/total.lua", "reconciliation/adjust.lua",
            "reconciliation/clear.lua", "reconciliation/retire.lua", "reconciliation/total.lua",
            "ledger/reject.lua", "ledger/acknowledge.lua");
    private static final Pattern KEY = Pattern.compile("^KEYS\\[(\\d+)\\] (\\w+) ",
            Pattern.MULTILINE);
    private static final Pattern ARG = Pattern.compile("ARGV\\[(\\d+)\\] (\\w+)");
    private static final Pattern EACH = Pattern.compile("\n(?:then )?for each ");
    /** ARGV[first] is a request's first word; ARGV[first + requests], its second. */
    private static final Pattern ARG_USED =
            Pattern.compile("ARGV\\[(first(?: \\+ )?)?(requests|\\d*)\\]");
    private static final Pattern LOCALS =
            Pattern.compile(
                    "local ((?:\\w+,\\s+)*\\w+)\\s*=\\s*([^\\n]*(?:ARGV|KEYS)[^\\n]*)");
    private static final Pattern REPLY = Pattern.compile("\\b(?:return|reply =)\\s(.*)");
    private static final Pattern WORD_LITERAL =
            Pattern.compile("'([a-z]+(?:-[a-z]+)*)(?: [^']*)?'");

    /** A script, split into header and body. */
    record Lua(Path path, String header, String body) {
        static Lua of(Path path) {
            String text = Script.load(Path.of(LUA).relativize(path).toString()
                    .replace(".lua", "")).text();
            int end = text.indexOf("]]\n");
            assertThat(text.lines().limit(2).toList()).as("%s begins with its header", path)
                    .satisfies(lines -> assertThat(lines.get(0))
                            .isIn("#!lua", "#!lua flags=no-writes", "#!lua flags=allow-oom"))
                    .satisfies(lines -> assertThat(lines.get(1)).isEqualTo("--[["));
            return new Lua(path, text.substring(0, end), text.substring(end + 3));
        }

        List<String> names(Pattern pattern, String text) {
            List<String> names = new ArrayList<>();
            Matcher found = pattern.matcher(text);
            while (found.find()) {
                names.add(found.group(2));
                assertThat(found.group(1)).as("%s: number of %s", path, found.group(2))
                        .isEqualTo(Integer.toString(names.size()));
            }
            return names;
        }

        List<String> keys() {
            return names(KEY, header);
        }

        /** ARGV of the whole call. */
        List<String> head() {
            return names(ARG, EACH.split(header)[0]);
        }

        /** ARGV of each request; empty for a script that takes none. */
        List<String> each() {
            String[] parts = EACH.split(header);
            return parts.length == 1 ? List.of() : names(ARG, parts[1]);
        }

        /** How each alternative under "Returns" begins. */
        Set<String> returned() {
            Matcher section = Pattern.compile("\nReturns ([^:]*?)(?::\n(.*?))?\n\n",
                    Pattern.DOTALL).matcher(header);
            assertThat(section.find()).as("%s says what it returns", path).isTrue();
            if (section.group(2) == null) {
                return new TreeSet<>(); // It returns numbers, described in a sentence.
            }
            return Arrays.stream(section.group(2).split("\\|"))
                    .map(alternative -> alternative.strip().split("\\s")[0])
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        /** The words in the replies of the body. */
        Set<String> words() {
            Set<String> words = new TreeSet<>();
            Matcher replies = REPLY.matcher(body);
            while (replies.find()) {
                String reply = replies.group(1).replaceAll("redis\\.call\\([^()]*\\)", "")
                        .replaceAll("== '[^']*'", "").replaceAll("\\w+\\.match\\([^()]*\\)", "");
                Matcher literal = WORD_LITERAL.matcher(reply);
                while (literal.find()) {
                    words.add(literal.group(1));
                }
            }
            return words;
        }

        @Override
        public String toString() {
            return Path.of(LUA).relativize(path).toString();
        }
    }

    static Stream<Lua> scripts() {
        return Sources.files(LUA, ".lua").stream().map(Lua::of);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scripts")
    void headerNamesTheScriptItsKeysAndItsArguments(Lua script) {
        String name = script.path.getFileName().toString().replace(".lua", "");
        assertThat(script.header.lines().skip(2).findFirst().orElseThrow().toLowerCase())
                .startsWith(name + ": ");
        assertThat(script.header).contains("\nKeeps: ");
        assertThat(script.keys()).isNotEmpty();
        String body = script.body.replaceAll("^(local [^=]*)\n +", "$1 ")
                .replaceAll("^(local [^=]*=)\n +", "$1 ");
        assertThat(body).startsWith(script.keys().size() == 1
                ? "local " + script.keys().get(0) + " = KEYS[1]\n"
                : "local " + String.join(", ", script.keys()) + " = unpack(KEYS)\n");
        for (String key : script.keys()) {
            assertThat(script.body.split("\\b" + key + "\\b", -1)).as("uses of key %s", key)
                    .hasSizeGreaterThan(2);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scripts")
    void headerNamesTheArgumentsOfTheBody(Lua script) {
        List<String> head = script.head();
        List<String> each = script.each();
        Set<Integer> used = new TreeSet<>();
        Matcher locals = LOCALS.matcher(script.body);
        while (locals.find()) {
            List<String> names = List.of(locals.group(1).split(",\\s*"));
            String value = locals.group(2);
            if (value.startsWith("unpack(ARGV, first")) {
                assertThat(names).isEqualTo(each);
            } else if (value.startsWith("unpack(ARGV")) {
                assertThat(names).isEqualTo(head);
                head.forEach(name -> used.add(head.indexOf(name) + 1));
            }
            if (value.contains("redis.call(") || value.contains("..")) {
                continue; // The argument is part of something else and has no name of its own.
            }
            Matcher reference = ARG_USED.matcher(value);
            for (int i = 0; i < names.size() && reference.find(); i++) {
                boolean ofEach = reference.group(1) != null;
                int number = switch (reference.group(2)) {
                    case "" -> 0;
                    case "requests" -> 1;
                    default -> Integer.parseInt(reference.group(2));
                };
                String expected = ofEach ? each.get(number) : head.get(number - 1);
                assertThat(names.get(i)).as("%s: %s", script, locals.group()).isEqualTo(expected);
            }
        }
        Matcher direct = Pattern.compile("ARGV\\[(\\d+)\\]").matcher(script.body);
        while (direct.find()) {
            used.add(Integer.parseInt(direct.group(1)));
        }
        assertThat(used).as("arguments that the body reads").hasSameSizeAs(head)
                .allMatch(number -> number <= head.size());
        if (!each.isEmpty()) {
            assertThat(constant(script, "FIRST", 1)).isEqualTo(head.size() + 1);
            assertThat(constant(script, "STRIDE", 1)).isEqualTo(each.size());
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scripts")
    void returnsListsTheWordsOfTheBody(Lua script) {
        Set<String> stated = script.returned();
        stated.removeIf(name -> !script.words().contains(name) && (DATA.contains(name)
                || script.keys().contains(name) || script.head().contains(name)));
        assertThat(stated).isEqualTo(script.words());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scripts")
    void scriptLogsNothingAndReadsOnlyRedissClock(Lua script) {
        assertThat(script.body).doesNotContain("print(").doesNotContain("redis.log")
                .doesNotContain("os.").doesNotContain("math.random")
                .doesNotContain("MAXLEN").doesNotContain("error_reply");
    }

    /** At its memory limit, Redis runs only scripts that are flagged as harmless. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("scripts")
    void scriptThatWritesNothingOrFreesMemoryRunsOnAFullRedis(Lua script) {
        Set<String> commands = Pattern.compile("call\\('([A-Z]+)'").matcher(script.body).results()
                .map(call -> call.group(1)).collect(Collectors.toSet());
        assertThat(script.header.contains("flags=no-writes"))
                .as("%s only reads, and says so", commands)
                .isEqualTo(READING.containsAll(commands))
                .isEqualTo(script.header.contains("Keeps: nothing is written."));
        assertThat(script.header.contains("flags=allow-oom")).as("%s frees", commands)
                .isEqualTo(FREEING.contains(script.toString()));
    }

    @Test
    void includedPartsNameThePartsThatTheyNeed() {
        Map<String, String> parts = new TreeMap<>();
        Sources.files(INCLUDE, ".lua").forEach(part -> parts.put(
                part.getFileName().toString().replace(".lua", ""), Sources.text(part)));
        Pattern function = Pattern.compile("(?m)^local function (\\w+)");
        parts.forEach((name, text) -> parts.forEach((other, lua) -> assertThat(!name.equals(other)
                && function.matcher(lua).results().anyMatch(found -> text.contains(
                        found.group(1) + "("))).as("%s calls %s", name, other)
                .isIn(false, NEEDS.matcher(text).results().anyMatch(
                        need -> need.group(1).equals(other)))));
        for (Path script : Sources.files(LUA, ".lua")) {
            List<String> included = Pattern.compile("(?m)^-- include (\\w+)$")
                    .matcher(Sources.text(script)).results().map(part -> part.group(1)).toList();
            for (int i = 0; i < included.size(); i++) {
                assertThat(included.subList(0, i)).as("%s, before %s", script, included.get(i))
                        .containsAll(NEEDS.matcher(parts.get(included.get(i))).results()
                                .map(need -> need.group(1)).toList());
            }
        }
    }

    @Test
    void everyWordOfAScriptIsAWordOrReadByItsCaller() {
        String java = javaText();
        scripts().forEach(script -> script.words().stream()
                .filter(word -> !INTERNAL.contains(word) && OutcomeCode.find(word) == null)
                .forEach(word -> assertThat(java).as("the caller of %s reads %s", script, word)
                        .contains('"' + word + '"')));
    }

    @Test
    void everyOutcomeCodeIsUsed() {
        String java = javaText();
        Set<String> replied = scripts().flatMap(script -> script.words().stream())
                .collect(Collectors.toSet());
        Set<OutcomeCode> unused = EnumSet.allOf(OutcomeCode.class);
        unused.removeIf(code -> replied.contains(code.text())
                || Pattern.compile("\\bOutcomeCode\\." + code.name() + "\\b").matcher(java).find()
                || Pattern.compile("\\bcase .*\\b" + code.name() + "\\b").matcher(java).find());
        assertThat(unused).isEmpty();
    }

    @Test
    void outcomeCodesAreSpelledAlikeEverywhere() {
        for (OutcomeCode code : OutcomeCode.values()) {
            assertThat(code.text()).isEqualTo(code.name().toLowerCase().replace('_', '-'));
            assertThat(OutcomeCode.find(code.text())).isSameAs(code);
        }
    }

    /** The value of a constant of the body, declared alone or with others on one line. */
    private static int constant(Lua script, String name, int otherwise) {
        Matcher declaration =
                Pattern.compile("local ([A-Z_, ]+) = ([\\d, ]+)").matcher(script.body);
        while (declaration.find()) {
            int index = List.of(declaration.group(1).split(", ")).indexOf(name);
            if (index >= 0) {
                return Integer.parseInt(declaration.group(2).split(", ")[index].strip());
            }
        }
        return otherwise;
    }

    private static String javaText() {
        return Sources.files("src/main/java", ".java").stream()
                .filter(file -> !file.endsWith("OutcomeCode.java")).map(Sources::text)
                .collect(Collectors.joining("\n"));
    }
}
