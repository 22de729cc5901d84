package dev.rush.http;

import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A call of the rush itself: {@code POST <prefix><id><suffix>}. {@link HotRoute} serves it. */
public interface HotCall {

    /** The path before the id. */
    String prefix();

    /** The path after the id. */
    String suffix();

    /** The path as metrics name it. */
    String template();

    /** Whether the request must have the content type JSON. */
    boolean needsJson();

    /**
     * Answers one request.
     *
     * @param id   from the path, not validated
     * @param body the body; null if there is none
     * @return the answer; it may fail with any exception that {@link ProblemMappers} handles
     * @throws ProblemException a refusal
     */
    CompletionStage<Answer> answer(
            Caller caller, HttpServerRequest request, String id, byte @Nullable [] body);
}
