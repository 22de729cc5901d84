package dev.rush.rain;

import dev.rush.RushConfig;
import dev.rush.offer.ViewCache;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** The highest grabs and the users with the highest sums, at most as old as a view. */
@Singleton
class Leaderboards {

    /** Maximum number of entries. */
    static final int ENTRIES_MAX = 100;

    private final RedisCommands redis;
    private final Partitions partitions;
    /** By the ordinals of {@link By}. */
    private final List<ViewCache<List<Map<String, Object>>>> views;

    @Inject
    Leaderboards(RedisCommands redis, Partitions partitions, RushConfig config) {
        this.redis = redis;
        this.partitions = partitions;
        this.views = Stream.of(By.values())
                .map(by -> new ViewCache<>(config, rain -> read(rain, by))).toList();
    }

    /** What is ranked. */
    enum By {
        GRAB, USER;

        /** The word as spelled in requests and the script. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The first entries, at most {@value #ENTRIES_MAX}; null for an unknown rain. */
    CompletableFuture<List<Map<String, Object>>> top(String rain, By by, int max) {
        return views.get(by.ordinal()).fresh(rain).thenApply(entries -> entries == null ? null
                : entries.subList(0, Math.min(max, entries.size())));
    }

    private CompletableFuture<List<Map<String, Object>>> read(String rain, By by) {
        return redis.script(RainScripts.LEADERBOARD,
                partitions.of(rain).keys().rain(rain, "conf", "board", "sums", "takers"),
                List.of(by.text(), Integer.toString(ENTRIES_MAX)))
                .thenApply(reply -> reply.isNull() ? null : entries(reply.texts(), by));
    }

    private static List<Map<String, Object>> entries(List<String> ranked, By by) {
        List<Map<String, Object>> entries = new ArrayList<>(ranked.size());
        for (String text : ranked) {
            String[] words = text.split(" ");
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("rank", entries.size() + 1);
            entry.put("user", words[0]);
            entry.put(by == By.GRAB ? "nth" : "grabs", Long.parseLong(words[1]));
            entry.put("amount", Long.parseLong(words[2]));
            entries.add(entry);
        }
        return List.copyOf(entries);
    }
}
