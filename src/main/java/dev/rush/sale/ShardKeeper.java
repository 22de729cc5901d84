package dev.rush.sale;

import dev.rush.ledger.OfferCache;
import dev.rush.ledger.PeriodicTask;
import dev.rush.offer.OfferControl;
import dev.rush.redis.Futures;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.sale.shard.ShardScan;
import dev.rush.sale.shard.ShardState;
import dev.rush.sale.shard.Transfer;
import dev.rush.sale.shard.Transfers;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Completes interrupted operations on sales with several shards, in the background: transfers that
 * are some seconds old, and pauses, resumes, closes or new times that have not reached all shards.
 * The script that begins such an operation notes it in its partition, so a round costs one command
 * per partition and a few per note, however many sales there are.
 */
@Singleton
class ShardKeeper {

    private static final Logger LOG = Logger.getLogger(ShardKeeper.class);
    private static final long INTERVAL_MS = 1_000;
    private static final long OLD_MS = 3_000;
    /** A partition that does not answer within this time waits for the next round. */
    private static final long ANSWER_MS = 500;
    /**
     * Maximum notes per reply of a partition, and replies per round; the next round continues
     * there.
     */
    private static final int PAGE = 100;
    private static final String START = "0";
    private static final int PAGES_MAX = 10;
    /** The notes of a partition that did not answer. */
    private static final Notes NONE = new Notes(List.of(), true);
    /** Maximum reads per round, unless a single sale has more shards. */
    private static final int READS_MAX = 240;

    private final SaleViewCache views;
    private final OfferCache offers;
    private final Transfers transfers;
    private final Sales sales;
    private final Schedule schedule;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final Map<String, Long> pending = new ConcurrentHashMap<>();
    /** Sales whose shards differed at the last check. */
    private final Set<String> diverged = new HashSet<>();
    /** Sales whose shards' titles and times differed at the last check. */
    private final Set<String> divergedTimes = new HashSet<>();
    /** Where the next round continues in a partition's notes. */
    private final Map<Partition, String> cursors = new ConcurrentHashMap<>();
    private final PeriodicTask task = new PeriodicTask("shards", INTERVAL_MS, this::round);
    private int next;

    @Inject
    ShardKeeper(SaleViewCache views, OfferCache offers, Transfers transfers, Sales sales,
            Schedule schedule, RedisCommands redis, Partitions partitions, MeterRegistry registry) {
        this.views = views;
        this.offers = offers;
        this.transfers = transfers;
        this.sales = sales;
        this.schedule = schedule;
        this.redis = redis;
        this.partitions = partitions;
        Gauge.builder("rush.transfers.pending", pending, map ->
                map.values().stream().mapToLong(Long::longValue).sum())
                .description("Transfers between shards that are not finished").register(registry);
    }

    /**
     * A partition's notes about a sale.
     *
     * @param shard   the source of transfers; null for none
     * @param control  version of a pause, resume or close that not all shards may have followed;
     *                 null for none
     * @param schedule version of new times that not all shards may have; null for none
     */
    private record Note(String sale, @Nullable Partition shard, @Nullable String control,
            @Nullable String schedule) {

        static Note of(Partition partition, String name, String value) {
            String[] words = name.split(" ");
            return switch (words[0]) {
                case "transfer" -> new Note(words[1], partition, null, null);
                case "schedule" -> new Note(words[1], null, null, value);
                default -> new Note(words[1], null, value, null);
            };
        }
    }

    /** The notes of a partition that a round has read. */
    private record Notes(List<Note> found, boolean isAll) {
    }

    void start(@Observes StartupEvent event) {
        task.start();
    }

    void stop(@Observes ShutdownEvent event) {
        task.close();
    }

    private boolean round() {
        Map<String, List<Note>> noted = new HashMap<>();
        views.takeDiverged().forEach(sale -> noted.put(sale, new ArrayList<>()));
        boolean isAll = true;
        for (Notes notes : Futures.together(
                watched().stream().map(this::notes).toList()).join()) {
            isAll &= notes.isAll;
            notes.found.forEach(note ->
                    noted.computeIfAbsent(note.sale, sale -> new ArrayList<>()).add(note));
        }
        if (isAll) {
            // A sale whose note this round did not reach keeps its state.
            pending.keySet().retainAll(noted.keySet());
            diverged.retainAll(noted.keySet());
            divergedTimes.retainAll(noted.keySet());
        }
        List<Map.Entry<String, List<Note>>> unfinished = noted.entrySet().stream()
                .sorted(Map.Entry.comparingByKey()).toList();
        int reads = 0;
        List<CompletableFuture<Void>> transferring = new ArrayList<>();
        for (int i = 0; i < unfinished.size() && reads < READS_MAX; i++) {
            Map.Entry<String, List<Note>> entry =
                    unfinished.get(Math.floorMod(next++, unfinished.size()));
            String sale = entry.getKey();
            try {
                Shards shards = views.shards(sale).join();
                reads += shards.count();
                transferring.add(complete(sale, shards, entry.getValue()));
            } catch (CompletionException e) {
                // An unreachable master must not delay the sales of others.
                reads++;
                LOG.debugf("Shards of %s have to wait: %s", sale, e.getMessage());
            }
        }
        // Unreachable replicas delay only transfers.
        CompletableFuture.allOf(transferring.toArray(CompletableFuture[]::new))
                .exceptionally(failure -> null).join();
        return false;
    }

    /** The partitions of sales with several shards, as far as this pod has read them. */
    private Set<Partition> watched() {
        Set<Partition> watched = new HashSet<>();
        offers.shardedPartitions().forEach(index -> watched.add(partitions.all().get(index)));
        for (SaleView view : views.held()) {
            if (view.shards().isSplit()) {
                watched.addAll(view.shards().partitions());
            }
        }
        return watched;
    }

    private CompletableFuture<Notes> notes(Partition partition) {
        boolean fromStart = cursors.getOrDefault(partition, START).equals(START);
        List<Note> found = Collections.synchronizedList(new ArrayList<>());
        return page(partition, found, PAGES_MAX)
                .thenApply(isEnd -> new Notes(List.copyOf(found), fromStart && isEnd))
                .completeOnTimeout(NONE, ANSWER_MS, TimeUnit.MILLISECONDS)
                .exceptionally(failure -> NONE);
    }

    /** Adds the contents of the next replies; returns whether the end was reached. */
    private CompletableFuture<Boolean> page(Partition partition, List<Note> found, int pages) {
        return redis.command("HSCAN", partition.keys().unfinished(),
                cursors.getOrDefault(partition, START), "COUNT", Integer.toString(PAGE))
                .thenCompose(reply -> {
                    cursors.put(partition, reply.at(0).word());
                    reply.at(1).pairs().forEach((name, value) -> {
                        // The entry without a sale keeps the key in existence.
                        if (!name.isEmpty()) {
                            found.add(Note.of(partition, name, value));
                        }
                    });
                    boolean isEnd = reply.at(0).word().equals(START);
                    return isEnd || pages == 1 ? CompletableFuture.completedFuture(isEnd)
                            : page(partition, found, pages - 1);
                });
    }

    /**
     * Completes the operations in a sale's notes. The result completes with the transfers, and may
     * fail.
     */
    private CompletableFuture<Void> complete(String sale, Shards shards, List<Note> notes) {
        ShardScan scan = transfers.scan(sale, shards).join();
        List<Transfer> found = scan.pending();
        if (found.isEmpty()) {
            pending.remove(sale);
        } else {
            pending.put(sale, (long) found.size());
        }
        List<Transfer> old = new ArrayList<>(found);
        old.removeIf(transfer -> transfer.ageMs() < OLD_MS);
        CompletableFuture<Void> finished = transfers.complete(
                sale, shards, old, views.isReplicated(sale, scan));
        if (found.isEmpty() && scan.isComplete()) {
            // The script removes it only if it finds no transfer either.
            notes.stream().map(Note::shard).filter(Objects::nonNull)
                    .forEach(shard -> transfers.finish(sale, shard).join());
        }
        if (scan.isComplete()) {
            follow(sale, shards, scan, first(notes, Note::control));
            followTimes(sale, shards, scan, first(notes, Note::schedule));
        }
        return finished;
    }

    private static @Nullable String first(List<Note> notes, Function<Note, String> version) {
        return notes.stream().map(version).filter(Objects::nonNull).findFirst().orElse(null);
    }

    /** As {@link #follow}, for title and times. */
    private void followTimes(
            String sale, Shards shards, ShardScan scan, @Nullable String version) {
        ShardState first = scan.states().get(0);
        long noted = version == null ? 0 : Long.parseLong(version);
        String definition = first.definition();
        if (definition == null || scan.sharesTimes(noted)) {
            divergedTimes.remove(sale);
            if (version != null) {
                schedule.followed(sale, shards, version).join();
            }
        } else if (!divergedTimes.add(sale)) {
            String latest = Long.toString(Math.max(scan.schedule(), noted));
            schedule.follow(sale, shards, definition, latest).join();
            if (version != null) {
                schedule.followed(sale, shards, version).join();
            }
        }
    }

    /** Brings all shards in line with the first, if they differed twice in a row. */
    private void follow(String sale, Shards shards, ShardScan scan, @Nullable String version) {
        ShardState first = scan.states().get(0);
        long noted = version == null ? 0 : Long.parseLong(version);
        if (!first.isKnown() || scan.agrees(noted)) {
            diverged.remove(sale);
            if (version != null) {
                sales.followed(sale, shards, version).join();
            }
        } else if (!diverged.add(sale)) {
            // Twice in a row, so no call is working on it any more. No shard has followed more than
            // this.
            OfferControl.Action action = first.closedAt() > 0 ? OfferControl.Action.CLOSE
                    : first.isPaused() ? OfferControl.Action.PAUSE : OfferControl.Action.RESUME;
            long latest = Math.max(scan.control(), noted);
            sales.follow(sale, shards, action, Long.toString(latest)).join();
            if (version != null) {
                sales.followed(sale, shards, version).join();
            }
        }
    }
}
