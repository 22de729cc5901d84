package dev.rush.offer;

import dev.rush.http.Json;
import dev.rush.http.ProblemException;
import dev.rush.http.Snapshot;
import dev.rush.http.Texts;
import dev.rush.http.Times;
import dev.rush.http.Violations;
import dev.rush.redis.Futures;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All sales or all rains, newest first, in pages: those in Redis, and those that are
 * retired. While the latter cannot be read, a page lacks them or has only their ids, and is {@code
 * partial}.
 */
@Singleton
public class Listing {

    private static final int PAGE_MAX = 100;
    private static final int PAGE_DEFAULT = 50;
    /**
     * How long a page waits for the ids of those that are retired, and then for their fields, so
     * that it has the others anyway.
     */
    private static final long RETIRED_MS = 1_000;
    /** More than a partition can prepare within one millisecond. */
    private static final int SAME_MS_MAX = 100;

    private final RedisCommands redis;
    private final Partitions partitions;
    private final Json json;

    /** Finds what has left Redis. */
    public interface RetiredIds {

        /**
         * The latest prepared ones, each with the time of its preparation in milliseconds since
         * 1970; empty if they cannot be read now.
         *
         * @param untilMs only those that were prepared then or before
         */
        CompletableFuture<Optional<Map<String, Long>>> find(long untilMs, int max);
    }

    /**
     * Reads all sales, or all rains.
     *
     * @param retiredIds finds what has left Redis
     * @param retired    reads what has left Redis, in one transaction
     * @param one        reads one that Redis has; completes with null if Redis has lost it
     */
    public record Source(RetiredIds retiredIds,
            Function<List<String>, CompletableFuture<Map<String, Snapshot>>> retired,
            Function<String, CompletableFuture<@Nullable Snapshot>> one) {
    }

    /** A place in the list; the id orders entries of one millisecond. */
    private record Entry(String id, long at, boolean isRetired) implements Comparable<Entry> {
        private static final Comparator<Entry> NEWEST_FIRST =
                Comparator.comparingLong(Entry::at).thenComparing(Entry::id).reversed();

        @Override
        public int compareTo(Entry other) {
            return NEWEST_FIRST.compare(this, other);
        }
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
     * @param before only those prepared before this instant, or the end of the previous page, as
     *               {@code instant,id}; null: all
     * @param limit  maximum number of entries, 1 to 100; null: 50
     * @throws ProblemException {@code invalid-request}
     */
    public CompletableFuture<Response> page(
            String name, @Nullable String before, @Nullable String limit, Source source) {
        Violations violations = new Violations();
        Entry from = from(before, violations);
        int max = limit == null ? PAGE_DEFAULT
                : Violations.integer("limit", limit, 1, PAGE_MAX, violations);
        violations.check();
        String kind = name.substring(0, name.length() - 1);
        CompletableFuture<Optional<Map<String, Long>>> reading =
                soon(source.retiredIds.find(from.at, max + SAME_MS_MAX), Optional.empty());
        return Futures.together(partitions.all().stream()
                .map(partition -> newest(partition, name, from, max)).toList())
                .thenCombine(reading, (parts, retired) -> listed(kind,
                        merged(parts, retired.orElse(Map.of()), from, max), source)
                        .thenApply(page -> answer(name, page, max, retired.isEmpty())))
                .thenCompose(Function.identity());
    }

    private static <T> CompletableFuture<T> soon(CompletableFuture<T> reading, T otherwise) {
        return reading.copy().completeOnTimeout(otherwise, RETIRED_MS, TimeUnit.MILLISECONDS);
    }

    /** One that is just leaving Redis may be in both stores. */
    private static List<Entry> merged(
            List<List<Entry>> parts, Map<String, Long> retired, Entry from, int max) {
        Map<String, Entry> all = new HashMap<>();
        retired.forEach((id, at) -> all.put(id, new Entry(id, at, true)));
        parts.forEach(part -> part.forEach(entry -> all.put(entry.id, entry)));
        return all.values().stream().filter(entry -> entry.compareTo(from) > 0).sorted()
                .limit(max).toList();
    }

    private static CompletableFuture<List<Listed>> listed(
            String kind, List<Entry> page, Source source) {
        List<String> ids = page.stream().filter(Entry::isRetired).map(Entry::id).toList();
        CompletableFuture<Map<String, Snapshot>> retired = ids.isEmpty()
                ? CompletableFuture.completedFuture(Map.of())
                : soon(source.retired.apply(ids), Map.of());
        return Futures.together(page.stream().map(entry -> listed(kind, entry, entry.isRetired
                ? retired.thenApply(known -> known.get(entry.id)) : source.one.apply(entry.id)))
                .toList());
    }

    private static CompletableFuture<Listed> listed(
            String kind, Entry entry, CompletableFuture<@Nullable Snapshot> reading) {
        return reading.handle((shown, failure) -> {
            if (failure != null && !ProblemException.isUnavailable(failure)) {
                throw new CompletionException(failure);
            }
            Map<String, Object> fields = new LinkedHashMap<>(
                    shown == null ? Map.of(kind, entry.id) : shown.fields());
            fields.put("preparedAt", Times.text(entry.at));
            return new Listed(entry, fields, failure != null || entry.isRetired && shown == null);
        });
    }

    /** An entry with its fields, which are partial if the ledger did not answer for them. */
    private record Listed(Entry entry, Map<String, Object> fields, boolean isPartial) {
    }

    private static Entry from(@Nullable String before, Violations violations) {
        if (before == null) {
            return new Entry("", Long.MAX_VALUE, false);
        }
        int comma = before.indexOf(',');
        String id = comma < 0 ? "" : before.substring(comma + 1);
        violations.require(comma < 0 || Texts.isId(id), "before",
                "must be an instant, or an instant and an id");
        return new Entry(id, Times.instant("before",
                comma < 0 ? before : before.substring(0, comma), violations), false);
    }

    private CompletableFuture<List<Entry>> newest(
            Partition partition, String name, Entry from, int max) {
        return redis.command("ZRANGE", partition.keys().named(name), Long.toString(from.at),
                "-inf", "BYSCORE", "REV", "LIMIT", "0", Integer.toString(max + SAME_MS_MAX),
                "WITHSCORES").thenApply(reply -> {
                    List<Entry> entries = new ArrayList<>();
                    reply.pairs().forEach((id, at) ->
                            entries.add(new Entry(id, (long) Double.parseDouble(at), false)));
                    return entries;
                });
    }

    private Response answer(String name, List<Listed> page, int max, boolean isPartial) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put(name, page.stream().map(Listed::fields).toList());
        if (isPartial || page.stream().anyMatch(Listed::isPartial)) {
            answer.put("partial", true);
        }
        if (page.size() == max) {
            Entry last = page.get(max - 1).entry;
            answer.put("next", "/v1/" + name + "?limit=" + max + "&before="
                    + Times.text(last.at) + "," + last.id);
        }
        return Response.ok(json.write(answer)).build();
    }
}
