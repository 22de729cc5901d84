package dev.rush.http;

import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * The viewers whose connections belong to one event loop. All of it happens there: {@code add} and
 * {@code remove} are called on it, the others may be called from anywhere.
 */
final class EventLoopViewers {

    /** Places of the wheel, one of which hears a heartbeat at a time. */
    static final int SLOTS = 64;
    /** Viewers that are written to before other work of the event loop gets its turn. */
    private static final int SLICE = 256;

    private final Context loop;
    /** Not static: the executable's image cannot hold a buffer. */
    private final Buffer heartbeat = Buffer.buffer(":\n\n");
    private final Map<EventSource, Set<EventViewer>> bySource = new HashMap<>();
    private final List<Set<EventViewer>> wheel = new ArrayList<>(SLOTS);

    EventLoopViewers(Context loop) {
        this.loop = loop;
        for (int i = 0; i < SLOTS; i++) {
            wheel.add(new LinkedHashSet<>());
        }
    }

    void add(EventViewer viewer) {
        viewer.slot = ThreadLocalRandom.current().nextInt(SLOTS);
        wheel.get(viewer.slot).add(viewer);
        bySource.computeIfAbsent(viewer.source(), source -> new LinkedHashSet<>()).add(viewer);
    }

    /** Whether the viewer was still there. */
    boolean remove(EventViewer viewer) {
        bySource.computeIfPresent(viewer.source(), (source, viewers) ->
                viewers.remove(viewer) && viewers.isEmpty() ? null : viewers);
        return wheel.get(viewer.slot).remove(viewer);
    }

    /** Shows an event to all who watch its source. */
    void show(EventSource source, EventSource.Event event) {
        loop.runOnContext(ignored ->
                each(bySource.getOrDefault(source, Set.of()), viewer -> viewer.show(event)));
    }

    /** Ends the streams of a source. */
    void end(EventSource source) {
        loop.runOnContext(ignored ->
                each(bySource.getOrDefault(source, Set.of()), EventViewer::end));
    }

    /** Ends the streams in a slot of the wheel. */
    void end(int slot) {
        loop.runOnContext(ignored -> each(wheel.get(slot), EventViewer::end));
    }

    /** Lets those in a slot of the wheel hear that the stream lives. */
    void beat(int slot) {
        loop.runOnContext(ignored -> each(wheel.get(slot), viewer -> viewer.beat(heartbeat)));
    }

    private void each(Set<EventViewer> viewers, Consumer<EventViewer> action) {
        if (!viewers.isEmpty()) {
            each(new ArrayList<>(viewers), 0, action);
        }
    }

    /** A crowd is gone through in slices: what else waits for this event loop comes in between. */
    private void each(List<EventViewer> viewers, int from, Consumer<EventViewer> action) {
        int to = Math.min(viewers.size(), from + SLICE);
        viewers.subList(from, to).forEach(action);
        if (to < viewers.size()) {
            loop.runOnContext(ignored -> each(viewers, to, action));
        }
    }
}
