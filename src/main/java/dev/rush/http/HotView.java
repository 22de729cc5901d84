package dev.rush.http;

import java.util.concurrent.CompletionStage;

/** What a whole crowd reads, without telling who they are: {@code GET <prefix><id>}. */
public interface HotView {

    /** The path before the id. */
    String prefix();

    /** The path as metrics name it. */
    String template();

    /**
     * Answers one request.
     *
     * @param id    as the path has it, not checked
     * @param known the header {@code If-None-Match}, or null
     * @return the answer; it may fail with whatever {@link ProblemMappers} knows
     * @throws ProblemException a refusal
     */
    CompletionStage<Answer> answer(String id, String known);
}
