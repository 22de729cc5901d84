package dev.rush.http;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** All sales or all rains, newest first, in pages. */
@Singleton
public class Listing {

    private static final int PAGE_MAX = 100;
    private static final int PAGE_DEFAULT = 50;

    private final RedisCommands redis;
    private final Partitions partitions;
    private final Json json;

    private record Entry(String id, long at) {
    }

    @Inject
    Listing(RedisCommands redis, Partitions partitions, Json json) {
        this.redis = redis;
        this.partitions = partitions;
        this.json = json;
    }

    /**
     * A page.
     *
     * @param name   the plural: of the path, of the answer's field and, in each partition, of the
     *               sorted set of ids scored by when they were prepared
     * @param before only those prepared before this instant; null: all
     * @param limit  the most to list, 1 to 100; null: 50
     * @param fields what to say of an id
     * @throws ProblemException {@code invalid-request}
     */
    public CompletableFuture<Response> page(String name, String before, String limit,
            Function<String, CompletableFuture<Map<String, Object>>> fields) {
        Violations violations = new Violations();
        long beforeMs = Times.instant("before", before, violations);
        int most = limit == null ? PAGE_DEFAULT
                : Violations.integer("limit", limit, 1, PAGE_MAX, violations);
        violations.check();
        String highest = beforeMs == 0 ? "+inf" : "(" + beforeMs;
        return together(partitions.all().stream()
                .map(partition -> newest(partition, name, highest, most)).toList())
                .thenCompose(parts -> together(parts.stream().flatMap(List::stream)
                        .sorted(Comparator.comparingLong(Entry::at).reversed()
                                .thenComparing(Entry::id))
                        .limit(most)
                        .map(entry -> fields.apply(entry.id).thenApply(known -> {
                            Map<String, Object> complete = new LinkedHashMap<>(known);
                            complete.put("preparedAt", Times.text(entry.at));
                            return complete;
                        })).toList()))
                .thenApply(page -> answer(name, page, most));
    }

    private CompletableFuture<List<Entry>> newest(
            Partition partition, String name, String highest, int most) {
        return redis.command(partition, "ZRANGE", partition.key(name), highest, "-inf", "BYSCORE",
                "REV", "LIMIT", "0", Integer.toString(most), "WITHSCORES").thenApply(reply -> {
                    List<Entry> entries = new ArrayList<>();
                    reply.pairs().forEach((id, at) ->
                            entries.add(new Entry(id, (long) Double.parseDouble(at))));
                    return entries;
                });
    }

    private Response answer(String name, List<Map<String, Object>> page, int most) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put(name, page);
        if (page.size() == most) {
            answer.put("next", "/v1/" + name + "?limit=" + most + "&before="
                    + page.get(page.size() - 1).get("preparedAt"));
        }
        return Response.ok(json.write(answer)).build();
    }

    private static <T> CompletableFuture<List<T>> together(List<CompletableFuture<T>> parts) {
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
                .thenApply(done -> parts.stream().map(CompletableFuture::join).toList());
    }
}
