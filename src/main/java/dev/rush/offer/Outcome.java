package dev.rush.offer;

import dev.rush.http.Answer;
import dev.rush.http.Json;
import dev.rush.http.Problem;
import dev.rush.http.Word;

/** How a purchase or grab ended. */
public sealed interface Outcome<T> {

    /** The word, which is also the label of the metric. */
    Word word();

    /** The answer to the client. */
    Answer answer(Json json);

    /** It was granted, by this request or, if replayed, by an earlier one with the same key. */
    record Accepted<T>(T granted, boolean replayed) implements Outcome<T> {

        @Override
        public Word word() {
            return replayed ? Word.REPLAYED : Word.ACCEPTED;
        }

        @Override
        public Answer answer(Json json) {
            Answer answer = Answer.json(word().status(), json.write(granted));
            return replayed ? answer.with("Idempotency-Replayed", "true") : answer;
        }
    }

    /** Nothing was taken, or the outcome is unknown (outcome-unknown). */
    record Refused<T>(Problem problem) implements Outcome<T> {

        @Override
        public Word word() {
            return problem.word();
        }

        @Override
        public Answer answer(Json json) {
            return problem.answer();
        }
    }
}
