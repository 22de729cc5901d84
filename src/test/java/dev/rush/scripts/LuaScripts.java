package dev.rush.scripts;

import dev.rush.redis.Script;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Calls scripts on one Redis by their names; some may be worded unlike the service's. */
final class LuaScripts {
    private final Resp redis;
    private final Map<String, String> rewritten;
    private final Map<String, String> digests = new HashMap<>();

    /**
     * Scripts of the service.
     *
     * @param rewritten the texts that stand in for the service's own, by name
     */
    LuaScripts(Resp redis, Map<String, String> rewritten) {
        this.redis = redis;
        this.rewritten = rewritten;
    }

    Resp redis() {
        return redis;
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
        String text = rewritten.get(name);
        return redis.text("SCRIPT", "LOAD", text == null ? Script.load(name).text() : text);
    }
}
