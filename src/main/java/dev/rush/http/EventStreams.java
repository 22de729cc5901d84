package dev.rush.http;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

/** Server-sent events of a view: its text at first, then again whenever it has changed. */
public final class EventStreams {

    /** At most five events a second. */
    private static final Duration INTERVAL = Duration.ofMillis(200);

    private EventStreams() {
    }

    /**
     * The events of a view, until the client leaves or the thing is gone.
     *
     * @param read    gives the present view, or null once there is none; a failed read is skipped
     * @param version differs when the view does
     * @param text    what is sent
     */
    public static <V> Multi<String> onChange(Supplier<? extends CompletionStage<V>> read,
            Function<V, String> version, Function<V, String> text) {
        AtomicReference<String> last = new AtomicReference<>("");
        return Multi.createFrom().ticks().every(INTERVAL).onOverflow().drop()
                .onItem().transformToUniAndConcatenate(tick -> Uni.createFrom()
                        .completionStage(read)
                        .map(Optional::ofNullable)
                        .onFailure().recoverWithNull())
                .select().where(Objects::nonNull)
                .select().first(Optional::isPresent)
                .map(Optional::get)
                .select().where(view -> !version.apply(view).equals(
                        last.getAndSet(version.apply(view))))
                .map(text);
    }
}
