package dev.rush.rain;

import static dev.rush.http.Texts.ID_PATTERN;
import static dev.rush.http.Texts.USER_PATTERN;

import dev.rush.http.Times;
import dev.rush.ledger.GrabRows;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * A grab as shown to clients.
 *
 * @param nth    the index of the grab among the user's grabs from this rain, from 1
 * @param amount in minor units
 * @param number of the envelope, from 1 in the order in which they are handed out
 */
@RegisterForReflection
@Schema(name = "Grab", requiredProperties = {
    "grab", "rain", "user", "nth", "amount", "number", "status", "grabbedAt"})
public record GrabView(
        @Schema(format = "uuid")
        String grab,
        @Schema(pattern = ID_PATTERN, examples = "7758521")
        String rain,
        @Schema(pattern = USER_PATTERN, examples = "u1")
        String user,
        @Schema(description = "Index of the grab among the user's grabs from this rain",
                minimum = "1", examples = "1")
        int nth,
        @Schema(description = "In minor units", minimum = "1", examples = "9")
        long amount,
        @Schema(description = "Number of the envelope, in the order in which they are handed out",
                minimum = "1", examples = "1")
        int number,
        @Schema(description = "accepted by Redis, then confirmed by the ledger or rejected by its "
                + "guard", enumeration = {"accepted", "confirmed", "rejected"})
        String status,
        @Schema(format = "date-time")
        String grabbedAt) {

    /** Grabs of a user, as OpenAPI describes the answer. */
    @Schema(name = "Grabs", requiredProperties = "grabs")
    record Page(
            @Schema(description = "Newest first")
            List<GrabView> grabs) {
    }

    /** A grab that Redis accepted. */
    static GrabView accepted(String rain, String user, String grab, String nth, String number,
            String amount, String at) {
        return new GrabView(grab, rain, user, Integer.parseInt(nth), Long.parseLong(amount),
                Integer.parseInt(number), "accepted", Times.formatted(Long.parseLong(at)));
    }

    /** A grab in the ledger. */
    static GrabView of(String rain, String user, GrabRows.Stored grab) {
        return new GrabView(grab.id().toString(), rain, user, grab.nth(), grab.amount(),
                grab.number(), status(grab.isRejected()), Times.formatted(grab.atMs()));
    }

    /** The same grab once the ledger has decided about it. */
    GrabView decided(boolean rejected) {
        return new GrabView(grab, rain, user, nth, amount, number, status(rejected), grabbedAt);
    }

    private static String status(boolean rejected) {
        return rejected ? "rejected" : "confirmed";
    }
}
