package dev.rush.bench.rush;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.bench.wire.Tally;

/**
 * What the service says after a rush, held against what its clients were told.
 *
 * @param taken units sold, or envelopes handed out
 * @param takenMoney of a rain, the money handed out
 * @param verdict of the service's own books and what they know as lost, or that it gives none
 * @param problem what does not add up; null when all does
 */
record Books(long taken, long takenMoney, String verdict, String problem) {
    private static final int TRIES = 40;
    private static final long PAUSE_MS = 250;

    /** Reads until all adds up, for ten seconds at most: views and the ledger may lag a little. */
    static Books read(Operator operator, RushPlan plan, Tally tally) {
        Books books = null;
        for (int i = 0; i < TRIES; i++) {
            pause();
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
            return taken + " are taken, but " + accepted + " were accepted";
        }
        if (plan.kind() == RushPlan.Kind.GRAB && taken == accepted && money != tally.sum()) {
            return money + " was handed out, but clients were told " + tally.sum();
        }
        if (unknown(tally) == 0 && tally.count() == plan.buyers() && taken < wanted
                && tally.of(plan.kind() == RushPlan.Kind.GRAB ? "empty" : "sold-out") > 0) {
            return "clients were turned away with " + (wanted - taken) + " left";
        }
        return books.isMissingNode() || books.path("verdict").asText().equals("balanced")
                ? null : "the books say " + books;
    }

    /** Requests of which it is not known what they did. */
    static long unknown(Tally tally) {
        return tally.unanswered() + tally.of("outcome-unknown");
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
