package dev.rush.offer;

import dev.rush.http.Answer;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;

/** How a purchase or grab ended. */
public sealed interface Outcome<T> {

    /** The code, which is also the label of the metric. */
    OutcomeCode code();

    /** The answer to the client. */
    Answer answer(Json json);

    /** It was granted, by this request or, if replayed, by an earlier one with the same key. */
    record Accepted<T>(T granted, boolean replayed) implements Outcome<T> {

        @Override
        public OutcomeCode code() {
            return replayed ? OutcomeCode.REPLAYED : OutcomeCode.ACCEPTED;
        }

        @Override
        public Answer answer(Json json) {
            Answer answer = Answer.json(code().status(), json.write(granted));
            return replayed ? answer.with("Idempotency-Replayed", "true") : answer;
        }
    }

    /** Nothing was taken, or the outcome is unknown (outcome-unknown). */
    record Refused<T>(Problem problem) implements Outcome<T> {

        @Override
        public OutcomeCode code() {
            return problem.code();
        }

        @Override
        public Answer answer(Json json) {
            return problem.answer();
        }
    }
}
