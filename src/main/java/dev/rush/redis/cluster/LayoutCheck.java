package dev.rush.redis.cluster;

import dev.rush.RushConfig;
import dev.rush.redis.Layout;
import dev.rush.redis.OutcomeClass;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisFailure;
import io.vertx.core.Future;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Compares the {@link Layout} of every hash tag with those that this release supports, at the start
 * and while the pod runs. Empty tags get the layout of the others, and all are raised to {@code
 * rush.redis.layout}. At the start, an unknown layout ends the process with one log line. A running
 * pod refuses only that tag, logs this once, and serves the tag again when its layout is known. No
 * script touches that tag meanwhile, because each checks the layout itself, so this class need not
 * be fast, only reliable in reporting. Confined to the background event loop, except for its
 * queries.
 */
@Singleton
class LayoutCheck {

    private static final Logger LOG = Logger.getLogger(LayoutCheck.class);
    /** Number of polls within which each tag is read again. */
    private static final int ROUND = 64;
    private static final String NONE = "";
    private static final String UNVERSIONED = "unversioned";
    /** Every non-empty tag has one of these keys. */
    private static final String[] KEYS = {
            "seq", "orders", "sales", "rains", "unfinished", "users", "changes"};

    private final Router router;
    private final RedisCommands commands;
    private final int raiseTo;
    /** The layout for an empty Redis. */
    private final int first;
    private final List<Partition> tags;
    /** Tags to read at the next poll. */
    private final Set<Partition> due;
    /** The layout of each tag when it was last read. */
    private final Map<Partition, String> layouts = new HashMap<>();
    private int next;
    private boolean started;
    /** Whether this process is ending because of an unknown layout at its start. */
    private boolean ending;
    private volatile boolean refusesAll;
    private volatile Set<Integer> refused = Set.of();

    @Inject
    LayoutCheck(Router router, RedisCommands commands, Partitions partitions, RushConfig config) {
        this.router = router;
        this.commands = commands;
        this.raiseTo = config.redis().layout();
        this.first = raiseTo == 0 ? Layout.newest() : Math.max(raiseTo, Layout.oldest());
        this.tags = new ArrayList<>(partitions.all());
        tags.add(Partitions.BLOCKLIST);
        this.due = new HashSet<>(tags);
        router.onUnknownLayout(this::unknownLayout);
    }

    /**
     * Reads the layouts that are due on these masters, and sets or raises them where necessary.
     * Succeeds if any tag's layout is known; at the start, only if none is unknown to this release.
     */
    Future<Void> check(Set<Endpoint> masters) {
        for (int i = 0; i <= tags.size() / ROUND; i++) {
            due.add(tags.get(next++ % tags.size()));
        }
        List<Partition> reading = due.stream().filter(tag -> {
            Endpoint master = router.topology().master(tag.slot());
            return master != null && masters.contains(master);
        }).toList();
        List<Future<?>> answers = new ArrayList<>();
        for (Partition tag : reading) {
            answers.add(Future.fromCompletionStage(commands.command("GET",
                    tag.keys().named(Layout.NAME)), router.background().context())
                    .onSuccess(reply -> seen(tag, reply.text())));
        }
        return Future.join(answers).transform(read -> update(reading).transform(updated ->
                isServing() ? Future.succeededFuture()
                        : Future.failedFuture(read.failed() ? read.cause()
                        : updated.failed() ? updated.cause() : new RedisFailure(
                        OutcomeClass.NOTHING_HAPPENED, "the layout of its data is not known"))));
    }

    /** Partitions with a layout unknown to this running pod. */
    Set<Integer> refused() {
        return refused;
    }

    /** Whether this running pod supports the layout of no tag any more. */
    boolean refusesAll() {
        return refusesAll;
    }

    private boolean isServing() {
        boolean serving = !ending && lowest() > 0;
        started |= serving;
        if (started) {
            refusesAll = layouts.values().stream().allMatch(LayoutCheck::isForeign);
            refused = layouts.entrySet().stream()
                    .filter(tag -> isForeign(tag.getValue()))
                    .map(tag -> tag.getKey().index()).filter(index -> index >= 0)
                    .collect(Collectors.toUnmodifiableSet());
        }
        return serving;
    }

    /** Reads the layout of a slot now, because a script found an unknown one there. */
    private void unknownLayout(int slot) {
        boolean isNew = false;
        for (Partition tag : tags) {
            isNew |= tag.slot() == slot && due.add(tag);
        }
        if (isNew) {
            check(router.topology().masters());
        }
    }

    private void seen(Partition tag, @Nullable String read) {
        String layout = read == null ? NONE : read;
        String before = layouts.getOrDefault(tag, NONE);
        if (layout.equals(NONE) && before.equals(UNVERSIONED)) {
            // Only the script can tell whether the tag is empty.
            return;
        }
        layouts.put(tag, layout);
        if (Layout.isKnown(layout)) {
            due.remove(tag);
            if (isForeign(before)) {
                LOG.infof("The layout of %s is known again", key(tag));
            }
        } else if (isForeign(layout) && !layout.equals(before)) {
            refuse(tag, layout);
        }
    }

    private static boolean isForeign(String layout) {
        return !layout.equals(NONE) && !Layout.isKnown(layout);
    }

    /** Sets the layout of empty tags, and raises those with an earlier one. */
    private Future<?> update(List<Partition> read) {
        if (ending) {
            return Future.succeededFuture();
        }
        List<Future<?>> changes = new ArrayList<>();
        int raised = 0;
        for (Partition tag : read) {
            String known = layouts.get(tag);
            if (known == null) {
                continue; // It could not be read.
            }
            if (known.equals(NONE) || known.equals(UNVERSIONED)) {
                if (layoutOfEmpty() > 0) {
                    changes.add(change(tag, NONE, layoutOfEmpty()));
                }
            } else if (Layout.isKnown(known) && Integer.parseInt(known) < raiseTo) {
                changes.add(change(tag, known, raiseTo));
                raised++;
            }
        }
        if (raised > 0) {
            LOG.infof("Raising %d hash tags of Redis to layout %d", raised, raiseTo);
        }
        return Future.join(changes);
    }

    /** The layout for an empty tag; 0 if another release must decide it. */
    private int layoutOfEmpty() {
        // If all others have unknown layouts, this pod may be too old to choose one.
        boolean isOvertaken = layouts.values().stream()
                .anyMatch(layout -> isForeign(layout) && !layout.equals(UNVERSIONED));
        return lowest() > 0 ? lowest() : isOvertaken ? 0 : first;
    }

    private Future<?> change(Partition tag, String known, int wanted) {
        return Future.fromCompletionStage(commands.script(LayoutScripts.LAYOUT,
                        tag.keys().named(Layout.NAME).named(KEYS),
                        List.of(known, Integer.toString(wanted))), router.background().context())
                .onSuccess(reply -> seen(tag, reply.text()));
    }

    /** The earliest known layout of any tag; 0 if there is none. */
    private int lowest() {
        return layouts.values().stream().filter(Layout::isKnown)
                .mapToInt(Integer::parseInt).min().orElse(0);
    }

    private void refuse(Partition tag, String layout) {
        // Whatever changed the layout of one tag may have changed more.
        due.addAll(tags);
        if (ending) {
            return;
        }
        String known = Layout.oldest() == Layout.newest() ? "layout " + Layout.newest()
                : "layouts " + Layout.oldest() + " to " + Layout.newest();
        String found = layout.equals(UNVERSIONED)
                ? "Redis holds data of no known layout (" + key(tag) + " is missing)"
                : "Redis holds data of layout " + layout + " (" + key(tag) + ")";
        if (started) {
            LOG.errorf("%s; this release knows %s. Calls of this hash tag are refused.",
                    found, known);
            return;
        }
        ending = true;
        LOG.fatalf("%s; this release knows %s. %s", found, known, layout.equals(UNVERSIONED)
                ? "Start it on an empty Redis." : "Start a release that knows it.");
        io.quarkus.runtime.Quarkus.asyncExit(1);
    }

    private static String key(Partition tag) {
        return tag.key(Layout.NAME);
    }
}
