package dev.rush.reconciliation.report;

import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import io.netty.util.concurrent.DefaultThreadFactory;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Answers with reports from both stores, computed off the event loop. */
@Singleton
public class Reports {

    /** At most this many at once: one may take minutes, and holds a connection meanwhile. */
    private static final int THREADS = 3;
    private static final int WAITING_MAX = 64;

    private final Ledger ledger;
    private final Json json;
    /** Not the ledger's, which confirmations and returns need. */
    private final ThreadPoolExecutor threads;

    @Inject
    Reports(Ledger ledger, Json json) {
        this.ledger = ledger;
        this.json = json;
        this.threads = new ThreadPoolExecutor(THREADS, THREADS, 30, TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_MAX), new DefaultThreadFactory("reports", true));
        threads.allowCoreThreadTimeOut(true);
    }

    @PreDestroy
    void stop() {
        threads.shutdown();
    }

    /**
     * The answer with a report.
     *
     * @param unknown the problem if there is no report
     */
    public CompletableFuture<Response> answer(OutcomeCode unknown, Supplier<?> report) {
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
        return ledger.<Object>run(work::get, threads)
                .thenApply(result -> Response.ok(json.write(result)).build());
    }
}
