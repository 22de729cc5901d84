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
 * The viewers whose connections belong to one event loop. All state is confined to it: {@code add}
 * and {@code remove} must be called on it, the others may be called from any thread.
 */
final class EventLoopViewers {

    /** Slots of the wheel, one of which gets a heartbeat at a time. */
    static final int SLOTS = 64;
    /** Viewers that are written to in a row, before other work of the event loop runs. */
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

    /** Whether the viewer was still registered. */
    boolean remove(EventViewer viewer) {
        bySource.computeIfPresent(viewer.source(), (source, viewers) ->
                viewers.remove(viewer) && viewers.isEmpty() ? null : viewers);
        return wheel.get(viewer.slot).remove(viewer);
    }

    /** Sends an event to all viewers of its source. */
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

    /** Sends a heartbeat to the viewers in a slot of the wheel. */
    void beat(int slot) {
        loop.runOnContext(ignored -> each(wheel.get(slot), viewer -> viewer.beat(heartbeat)));
    }

    private void each(Set<EventViewer> viewers, Consumer<EventViewer> action) {
        if (!viewers.isEmpty()) {
            each(new ArrayList<>(viewers), 0, action);
        }
    }

    /** Iterates in slices, so that other work of this event loop runs in between. */
    private void each(List<EventViewer> viewers, int from, Consumer<EventViewer> action) {
        int to = Math.min(viewers.size(), from + SLICE);
        viewers.subList(from, to).forEach(action);
        if (to < viewers.size()) {
            loop.runOnContext(ignored -> each(viewers, to, action));
        }
    }
}
