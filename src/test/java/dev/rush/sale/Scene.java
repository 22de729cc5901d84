package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static dev.rush.testing.TestSale.fresh;

import dev.rush.testing.Answers;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environment;
import dev.rush.testing.TestSale;
import java.util.List;

/**
 * A purchase to which several causes apply at once. The same user prepares the scene in the
 * operator's role, which is not rate-limited, so the purchase itself is that user's first counted
 * request.
 */
final class Scene {
    private static final String KEY = "k";
    private static final String FAR_FUTURE_MS = "4102444800000";
    private static final long REFILL_MS = 1_000;
    private static final int TRIES = 10;

    private final List<Cause> causes;
    private final TestSale sale;
    private final String user = fresh("user");
    private final String lines;

    private Scene(Environment environment, List<Cause> causes) {
        this.causes = causes;
        this.sale = TestSale.unknown(environment);
        List<String> own =
                causes.stream().map(Cause::line).filter(line -> line != null).toList();
        lines = own.isEmpty() ? "plain:1" : String.join(",", own);
    }

    /** Sets up all causes in a new sale; the lines have the order of the causes. */
    static Scene of(Environment environment, List<Cause> causes) {
        Scene scene = new Scene(environment, causes);
        if (!scene.has(Cause.UNKNOWN_SALE)) {
            scene.prepare();
        }
        if (scene.has(Cause.BLOCKED)) {
            is(204, environment.api().asOperator().put("/v1/blocklist/" + scene.user, "{}"));
        }
        return scene;
    }

    /** Sends the purchase to which all causes apply. */
    Answer purchase() {
        Api api = has(Cause.UNAUTHENTICATED) ? sale.api() : sale.api().as(user);
        boolean keyed = has(Cause.REPLAYED) || has(Cause.KEY_REUSED) || has(Cause.ORDER_RETURNED);
        Api keyedApi = keyed ? api.key(KEY) : api;
        if (!has(Cause.RATE_LIMITED)) {
            return keyedApi.post(sale.purchases(), TestSale.body(lines));
        }
        for (int i = 0; i < TRIES; i++) {
            spendAllowance();
            long start = System.nanoTime();
            Answer answer = keyedApi.post(sale.purchases(), TestSale.body(lines));
            if (System.nanoTime() - start < REFILL_MS * 1_000_000 / 2) {
                return answer;
            }
        }
        throw new AssertionError("this machine is too slow to reach a rate limit");
    }

    private boolean has(Cause cause) {
        return causes.contains(cause);
    }

    private void prepare() {
        sale.prepare(Cause.ITEMS, has(Cause.DUPLICATE_SUBMISSION)
                ? "'duplicateGuard':'user','duplicateGuardWindow':'PT1H'" : "");
        buyBefore();
        if (has(Cause.ORDER_RETURNED)) {
            Object record = sale.redis("HGET", sale.key("buyers"), user);
            sale.redis("HSET", sale.key("buyers"), user,
                    (record == null ? "" : record) + "t " + KEY + "\n");
        }
        if (has(Cause.PAUSED)) {
            is(200, sale.control("pause"));
        }
        if (has(Cause.CLOSED)) {
            is(200, sale.control("close"));
        }
        if (has(Cause.NOT_OPEN)) {
            // No call can make a sale with orders that is not open yet.
            sale.redis("HSET", sale.key("conf"), "opens_at", FAR_FUTURE_MS);
        }
        if (has(Cause.BACKLOGGED)) {
            sale.redis("XADD", sale.partition().key("orders"), "*", "purchase", "");
        }
    }

    /** Earlier purchases of this user: at most one if a duplicate guard is on. */
    private void buyBefore() {
        List<String> once = causes.stream().filter(Cause.ONCE::contains).map(Cause::line).toList();
        if (has(Cause.REPLAYED)) {
            before(lines, KEY);
        } else if (!once.isEmpty()) {
            before(String.join(",", once), "before");
        }
        boolean guarded = has(Cause.DUPLICATE_SUBMISSION) && once.isEmpty()
                && !has(Cause.REPLAYED);
        if (has(Cause.KEY_REUSED)) {
            before("plain:3", KEY);
        } else if (guarded) {
            before("plain:3", "before");
        }
    }

    private void before(String bought, String key) {
        Api exempt = sale.api().as(user).with("X-User-Roles", "operator").key(key);
        sale.redis("DEL", sale.partition().key("orders"));
        is(201, exempt.post(sale.purchases(), TestSale.body(bought)));
        sale.redis("DEL", sale.partition().key("orders"));
    }

    private void spendAllowance() {
        String body = json("{'items':[{'sku':'plain'}]}");
        for (int i = 0; i < TRIES; i++) {
            Answer answer = sale.api().as(user).post("/v1/sales/nowhere/purchases", body);
            if (answer.status() == 429) {
                Answers.refused(answer, "rate-limited");
                return;
            }
            if (has(Cause.BLOCKED)) {
                return; // The first request was blocked and has spent the allowance.
            }
        }
        throw new AssertionError("the rate limit does not hold");
    }
}
