package dev.rush.http;

import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.CompletionStage;

/** A call of the rush itself: {@code POST <prefix><id><suffix>}. {@link HotRoute} serves it. */
public interface HotCall {

    /** The path before the id. */
    String prefix();

    /** The path after the id. */
    String suffix();

    /** The path as metrics name it. */
    String template();

    /** Whether the body has to say that it is JSON. */
    boolean needsJson();

    /**
     * Answers one request.
     *
     * @param id   as the path has it, not checked
     * @param body what was sent; null if nothing was
     * @return the answer; it may fail with whatever {@link ProblemMappers} knows
     * @throws ProblemException a refusal
     */
    CompletionStage<Answer> answer(
            Caller caller, HttpServerRequest request, String id, byte[] body);
}
