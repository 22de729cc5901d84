package dev.rush.scripts;

import dev.rush.redis.Script;
import dev.rush.testing.Resp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Calls scripts on one Redis by their names; some may be replaced. */
final class LuaScripts {
    /** A deadline that these tests do not reach. */
    static final String NEVER = "99999999999999";

    private static final Path SOURCES = Path.of("src/main/resources");
    private static final Pattern INCLUDE = Pattern.compile("(?m)^-- include (\\w+)\n");

    private final Resp redis;
    private final Map<String, String> rewritten;
    private final Map<String, String> digests = new HashMap<>();

    /**
     * Scripts of the service.
     *
     * @param rewritten replacements by name; an included part is named {@code include/} and its
     *                  name
     */
    LuaScripts(Resp redis, Map<String, String> rewritten) {
        this.redis = redis;
        this.rewritten = rewritten;
    }

    Resp redis() {
        return redis;
    }

    /** The same scripts, with Lua code before one of their included parts. */
    LuaScripts with(String part, String before) {
        Map<String, String> others = new HashMap<>(rewritten);
        others.put(part, before + text(part));
        return new LuaScripts(redis, others);
    }

    /** Changes of data that this Redis has made so far, as it counts them for its snapshots. */
    long changes() {
        return redis.text("INFO", "persistence").lines()
                .filter(line -> line.startsWith("rdb_changes_since_last_save:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .findFirst().orElseThrow();
    }

    Object call(String name, List<String> keys, List<String> args) {
        List<String> words = new ArrayList<>(3 + keys.size() + args.size());
        words.add("EVALSHA");
        words.add(digests.computeIfAbsent(name, this::load));
        words.add(Integer.toString(keys.size()));
        words.addAll(keys);
        words.addAll(args);
        return redis.command(words.toArray(String[]::new));
    }

    private String load(String name) {
        return redis.text("SCRIPT", "LOAD",
                rewritten.isEmpty() ? Script.load(name).text() : rewritten(name));
    }

    private String rewritten(String name) {
        return INCLUDE.matcher(text(name)).replaceAll(part ->
                Matcher.quoteReplacement(text("include/" + part.group(1))));
    }

    private String text(String name) {
        String text = rewritten.get(name);
        return text == null ? source(name) : text;
    }

    /** Reads the source of a script, or of an included part. */
    static String source(String name) {
        Path folder = name.startsWith("include/") ? SOURCES : SOURCES.resolve("lua");
        try {
            return Files.readString(folder.resolve(name + ".lua"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the names of all included parts. */
    static List<String> parts() {
        try (Stream<Path> files = Files.list(SOURCES.resolve("include"))) {
            return files.map(file -> "include/" + file.getFileName().toString()
                    .replace(".lua", "")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
