package dev.rush.http;

import jakarta.ws.rs.core.Response;

/** How a purchase or grab ended. */
public sealed interface Outcome<T> {

    /** The word, which is also the label of the metric. */
    Word word();

    /** The answer to the client, to be completed with headers. */
    Response.ResponseBuilder answer(Json json);

    /** It was granted, now or, when replayed, by an earlier request under the same key. */
    record Accepted<T>(T granted, boolean replayed) implements Outcome<T> {

        @Override
        public Word word() {
            return replayed ? Word.REPLAYED : Word.ACCEPTED;
        }

        @Override
        public Response.ResponseBuilder answer(Json json) {
            Response.ResponseBuilder answer =
                    Response.status(word().status()).entity(json.write(granted));
            return replayed ? answer.header("Idempotency-Replayed", "true") : answer;
        }
    }

    /** Nothing was taken, or (outcome-unknown) it is not known. */
    record Refused<T>(Problem problem) implements Outcome<T> {

        @Override
        public Word word() {
            return problem.word();
        }

        @Override
        public Response.ResponseBuilder answer(Json json) {
            return problem.builder();
        }
    }
}
