package dev.rush.reconciliation;

import static dev.rush.testing.Answers.is;

import dev.rush.order.LedgerPods;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Buyers who come one by one, each for one unit and with a key, whatever happens to the ledger: a
 * trickle at first, and then as fast as they can until the sale is sold out.
 */
final class Crowd {
    private static final long PAUSE_MS = 20;

    private final LedgerPods pods;
    private final String sale;
    private final CompletableFuture<SortedMap<String, String>> orders;
    private volatile boolean isHasty;

    Crowd(LedgerPods pods, int units) {
        this.pods = pods;
        sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":" + units + "}]");
        orders = CompletableFuture.supplyAsync(this::buy);
    }

    String sale() {
        return sale;
    }

    private SortedMap<String, String> buy() {
        SortedMap<String, String> accepted = new TreeMap<>();
        while (true) {
            String user = "c%05d".formatted(accepted.size());
            Answer answer = pods.buy(sale, user, "k-" + user);
            if (answer.word().equals("sold-out")) {
                return accepted;
            }
            accepted.put(user, is(201, answer).body().path("order").asText());
            if (!isHasty) {
                Await.sleep(PAUSE_MS);
            }
        }
    }

    /** Buys what is left, and returns the orders by their buyers. */
    SortedMap<String, String> untilSoldOut() {
        isHasty = true;
        return orders.join();
    }
}
