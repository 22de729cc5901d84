package dev.rush.http;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A view that needs no identity: {@code GET <prefix><id>}. {@link HotRoute} serves it. */
public interface HotView {

    /** The path before the id. */
    String prefix();

    /** The path as metrics name it. */
    String template();

    /**
     * Answers one request.
     *
     * @param id    from the path, not validated
     * @param known the header {@code If-None-Match}, or null
     * @return the answer; it may fail with any exception that {@link ProblemMappers} handles
     * @throws ProblemException a refusal
     */
    CompletionStage<Answer> answer(String id, @Nullable String known);
}
