package dev.rush.rain;

import dev.rush.http.Times;
import io.quarkus.runtime.annotations.RegisterForReflection;

/**
 * A grab as clients see it.
 *
 * @param nth    which of the user's grabs from this rain it was, from 1
 * @param amount in minor units
 * @param number of the envelope, from 1 in the order of handing out
 */
@RegisterForReflection
public record GrabView(String grab, String rain, String user, int nth, long amount, int number,
        String status, String grabbedAt) {

    /** A grab that Redis accepted. */
    static GrabView accepted(String rain, String user, String grab, String nth, String number,
            String amount, String at) {
        return new GrabView(grab, rain, user, Integer.parseInt(nth), Long.parseLong(amount),
                Integer.parseInt(number), "accepted", Times.text(Long.parseLong(at)));
    }

    /** The same grab as the ledger has it; unchanged where it is not there yet. */
    GrabView asStored(Boolean rejected) {
        return rejected == null ? this : new GrabView(grab, rain, user, nth, amount, number,
                rejected ? "rejected" : "confirmed", grabbedAt);
    }
}
