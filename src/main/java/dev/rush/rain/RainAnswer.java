package dev.rush.rain;

import static dev.rush.http.Texts.ID_PATTERN;
import static dev.rush.http.Texts.USER_PATTERN;

import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** An answer with a rain, as OpenAPI describes it; {@link RainView} makes it. */
@Schema(name = "Rain", description = "A rain and its remaining envelopes", requiredProperties = {
    "rain", "title", "state", "limitPerUser", "durability", "envelopes", "prepared", "left"})
record RainAnswer(
        @Schema(pattern = ID_PATTERN, examples = "7758521")
        String rain,
        String title,
        @Schema(description = "By Redis's clock",
                enumeration = {"scheduled", "open", "paused", "empty", "closed"})
        String state,
        @Schema(format = "date-time")
        String startsAt,
        @Schema(format = "date-time")
        String endsAt,
        @Schema(description = "Maximum grabs of one user", minimum = "1", examples = "3")
        long limitPerUser,
        @Schema(enumeration = {"redis", "replicas", "ledger"})
        String durability,
        @Schema(description = "Where the amounts come from: a list, or a split",
                enumeration = {"list", "even", "double-mean", "random-cut"})
        String envelopes,
        @Schema(ref = SUM)
        Object prepared,
        @Schema(ref = SUM)
        Object left,
        @Schema(description = "Absent until it is closed", format = "date-time")
        String closedAt,
        @Schema(ref = SUM)
        Object takenBack,
        @Schema(description = "Seed of the split; only in the answer to the operator who prepares "
                + "the rain, because it determines every amount")
        Long seed,
        @Schema(description = "When this was read from Redis, by its clock. Absent in answers to "
                + "pause, resume and close", format = "date-time")
        String asOf) {

    /** Envelopes and the money in them; the books have it too. */
    static final String SUM = "#/components/schemas/EnvelopeSum";

    /** A line of the list. */
    @Schema(name = "ListedRain", description = "A rain in the list; only its id and when it was "
            + "prepared if Redis has lost it, or if it is retired and the ledger did not answer",
            requiredProperties = {"rain", "preparedAt"})
    record Listed(
            @Schema(pattern = ID_PATTERN, examples = "7758521")
            String rain,
            String title,
            @Schema(enumeration = {"scheduled", "open", "paused", "empty", "closed"})
            String state,
            @Schema(format = "date-time")
            String startsAt,
            @Schema(format = "date-time")
            String endsAt,
            long limitPerUser,
            @Schema(enumeration = {"redis", "replicas", "ledger"})
            String durability,
            @Schema(enumeration = {"list", "even", "double-mean", "random-cut"})
            String envelopes,
            @Schema(ref = SUM)
            Object prepared,
            @Schema(ref = SUM)
            Object left,
            @Schema(format = "date-time")
            String closedAt,
            @Schema(ref = SUM)
            Object takenBack,
            @Schema(format = "date-time")
            String asOf,
            @Schema(format = "date-time")
            String preparedAt) {
    }

    /** All rains, in pages. */
    @Schema(name = "Rains", requiredProperties = "rains")
    record Page(
            @Schema(description = "Newest first")
            List<Listed> rains,
            @Schema(description = "The path of the next page; absent on the last",
                    format = "uri-reference")
            String next,
            @Schema(description = "true if the ledger did not answer, so that retired rains are "
                    + "missing or have only their ids")
            Boolean partial) {
    }

    /** A ranking. */
    @Schema(name = "Leaderboard", requiredProperties = {"rain", "by", "entries"})
    record Board(
            @Schema(pattern = ID_PATTERN, examples = "7758521")
            String rain,
            @Schema(description = "Whether single grabs are ranked by amount, or users by sum",
                    enumeration = {"grab", "user"})
            String by,
            @Schema(description = "Highest first; of equal amounts, the earlier grab first",
                    maxItems = Leaderboards.ENTRIES_MAX)
            List<Place> entries) {
    }

    /** A place in a ranking. */
    @Schema(name = "LeaderboardEntry", requiredProperties = {"rank", "user", "amount"})
    record Place(
            @Schema(minimum = "1", examples = "1")
            int rank,
            @Schema(pattern = USER_PATTERN, examples = "u1")
            String user,
            @Schema(description = "Index of the grab among the user's grabs; only by grab",
                    minimum = "1")
            Long nth,
            @Schema(description = "Number of the user's grabs; only by user", minimum = "1")
            Long grabs,
            @Schema(description = "Amount of the grab, or the user's sum, in minor units",
                    examples = "10")
            long amount) {
    }
}
