package dev.rush.reconciliation.report;

import dev.rush.http.Json;
import dev.rush.http.Problem;
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
        if (!ledger.isConfigured()) {
            return CompletableFuture.completedFuture(
                    LedgerProblems.notConfigured("Books need").response());
        }
        return ledger.<Object>run(report::get).thenApply(found -> found == null
                ? Problem.of(unknown).response() : Response.ok(json.write(found)).build());
    }
}
