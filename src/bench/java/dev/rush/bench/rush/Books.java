package dev.rush.bench.rush;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.bench.wire.Tally;
import dev.rush.testing.Await;

/**
 * Compares the service's view and books after a rush with the answers to its clients.
 *
 * @param taken units sold, or envelopes granted
 * @param takenMoney the money granted by a rain; 0 for a sale
 * @param verdict the verdict of the service's books, with their losses, or {@code none given}
 * @param problem what does not add up; null if everything does
 */
record Books(long taken, long takenMoney, String verdict, String problem) {
    private static final int TRIES = 40;
    private static final long PAUSE_MS = 250;

    /** Reads until everything adds up, for at most ten seconds: views and ledger may lag. */
    static Books read(Operator operator, RushPlan plan, Tally tally) {
        Books books = null;
        for (int i = 0; i < TRIES; i++) {
            Await.sleep(PAUSE_MS);
            books = once(operator, plan, tally);
            if (books.problem == null) {
                return books;
            }
        }
        return books;
    }

    private static Books once(Operator operator, RushPlan plan, Tally tally) {
        boolean sale = plan.kind() == RushPlan.Kind.PURCHASE;
        JsonNode view = operator.read(plan.path());
        long taken = sale
                ? view.at("/items/0/total").asLong() - view.at("/items/0/left").asLong()
                : view.at("/prepared/count").asLong() - view.at("/left/count").asLong();
        long money = sale ? 0
                : view.at("/prepared/amount").asLong() - view.at("/left/amount").asLong();
        JsonNode books = operator.read(plan.path() + "/books");
        String verdict = books.path("verdict").asText("none given")
                + (books.has("lost") ? ", " + books.path("lost").asText() + " lost" : "");
        return new Books(taken, money, verdict, view.isMissingNode() ? "it cannot be read"
                : problem(plan, tally, taken, money, books));
    }

    private static String problem(
            RushPlan plan, Tally tally, long taken, long money, JsonNode books) {
        long accepted = tally.of("accepted");
        long wanted = Math.min(plan.units(), plan.buyers());
        if (taken > plan.units()) {
            return "oversold by " + (taken - plan.units());
        }
        // A request without a known outcome may or may not have taken a unit.
        if (taken < accepted || taken > accepted + unknown(tally)) {
            return taken + " were taken, but " + accepted + " were accepted";
        }
        if (plan.kind() == RushPlan.Kind.GRAB && taken == accepted && money != tally.sum()) {
            return money + " was granted, but the answers add up to " + tally.sum();
        }
        if (unknown(tally) == 0 && tally.count() == plan.buyers() && taken < wanted
                && tally.of(plan.kind() == RushPlan.Kind.GRAB ? "empty" : "sold-out") > 0) {
            return "clients were refused with " + (wanted - taken) + " left";
        }
        return books.isMissingNode() || books.path("verdict").asText().equals("balanced")
                ? null : "the books say " + books;
    }

    /** Returns the number of requests whose outcome is unknown. */
    static long unknown(Tally tally) {
        return tally.unanswered() + tally.of("outcome-unknown");
    }
}
