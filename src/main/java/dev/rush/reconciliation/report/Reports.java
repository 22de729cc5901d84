package dev.rush.reconciliation.report;

import dev.rush.http.Json;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Word;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Answers with reports from both stores, computed off the event loop. */
@Singleton
public class Reports {

    private final Ledger ledger;
    private final Json json;

    @Inject
    Reports(Ledger ledger, Json json) {
        this.ledger = ledger;
        this.json = json;
    }

    /**
     * The answer with a report.
     *
     * @param unknown the word for a report that is null
     */
    public CompletableFuture<Response> answer(Word unknown, Supplier<?> report) {
        return answer("Books need", () -> {
            Object found = report.get();
            if (found == null) {
                throw new ProblemException(Problem.of(unknown));
            }
            return found;
        });
    }

    /**
     * The answer with the result of work on the ledger.
     *
     * @param what the start of the detail if there is no ledger, for example {@code Erasing needs}
     */
    public CompletableFuture<Response> answer(String what, Supplier<?> work) {
        if (!ledger.isConfigured()) {
            return CompletableFuture.completedFuture(
                    LedgerProblems.notConfigured(what).response());
        }
        return ledger.<Object>run(work::get)
                .thenApply(result -> Response.ok(json.write(result)).build());
    }
}
