package dev.rush.rain;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rush.http.Texts;
import dev.rush.http.Times;
import dev.rush.http.Violations;
import dev.rush.offer.Durabilities;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The complete, validated definition of a rain. Defaults are filled in, so equivalent requests have
 * equal definitions; only naming the service's durability and omitting it differ. The seed of a
 * split is stored separately, because a request without one matches any seed.
 *
 * @param startsAt  milliseconds since 1970, 0 for none, as {@code endsAt}
 * @param durability null if the request omitted it: the service's
 * @param envelopes {@code list}, or the split that generates the amounts
 * @param amount    of all envelopes, in minor units
 * @param min       the minimum share of a split; 0 for a list
 * @param digest    SHA-256 of a list's amounts; null for a split
 */
@RegisterForReflection
@JsonInclude(JsonInclude.Include.ALWAYS)
public record RainDefinition(String title, long startsAt, long endsAt, long limitPerUser,
        @Nullable String durability, String envelopes, int count, long amount, long min,
        @Nullable String digest) {

    static final String LIST = "list";
    /** Maximum that a double, and so the leaderboard's score, represents exactly. */
    static final long AMOUNT_MAX = (1L << 53) - 1;
    static final int LIST_MAX = 50_000;
    static final int SPLIT_MAX = 1_000_000;
    private static final Set<String> ENVELOPE_FIELDS = Set.of("count", "amount", "min", "digest");
    private static final int TITLE_MAX = 200;
    private static final long LIMIT_DEFAULT = 3;
    /** Limited because each grab reads the record of all the user's grabs. */
    private static final long LIMIT_MAX = 100;

    /**
     * The definition in a request.
     *
     * @throws dev.rush.http.ProblemException {@code invalid-request} with all violations
     */
    static RainDefinition of(
            String rain, RainRequest request, Durabilities durabilities) {
        Violations violations = new Violations();
        String title = request.title();
        violations.require(title == null || title.length() <= TITLE_MAX, "title",
                "must have at most " + TITLE_MAX + " characters");
        violations.require(title == null || Texts.isPrintable(title), "title",
                "must have no control characters and no unpaired surrogates");
        long startsAt = Times.instant("startsAt", request.startsAt(), violations);
        long endsAt = Times.instant("endsAt", request.endsAt(), violations);
        violations.require(endsAt == 0 || endsAt > startsAt, "endsAt", "must be after startsAt");
        long limit = request.limitPerUser() == null ? LIMIT_DEFAULT : request.limitPerUser();
        violations.require(limit >= 1 && limit <= LIMIT_MAX, "limitPerUser",
                "must be 1 to " + LIMIT_MAX);
        String durability = durabilities.requested(request.durability(), violations);
        RainRequest.Envelopes envelopes = request.envelopes();
        long[] amounts = envelopes == null ? null : envelopes.amounts();
        if (envelopes == null) {
            violations.require(false, "envelopes", "must have amounts, or total, count and split");
        } else if (amounts != null) {
            checkList(envelopes, amounts, violations);
        } else {
            checkSplit(envelopes, violations);
        }
        violations.check();
        String name = title == null ? rain : title;
        return amounts != null
                ? new RainDefinition(name, startsAt, endsAt, limit, durability, LIST,
                        amounts.length, sum(amounts), 0, digest(amounts))
                : new RainDefinition(name, startsAt, endsAt, limit, durability,
                        requireNonNull(envelopes.split()), requireNonNull(envelopes.count()),
                        requireNonNull(envelopes.total()), min(envelopes), null);
    }

    /**
     * The field of a request from which a field of the definition comes. The seed is stored
     * separately.
     */
    static String requested(String field) {
        return ENVELOPE_FIELDS.contains(field) ? "envelopes" : field;
    }

    private static void checkList(RainRequest.Envelopes envelopes, long[] amounts,
            Violations violations) {
        violations.require(envelopes.total() == null && envelopes.count() == null
                && envelopes.split() == null && envelopes.min() == null
                && envelopes.seed() == null, "envelopes",
                "must have amounts, or total, count and split, but not both");
        violations.require(amounts.length >= 1 && amounts.length <= LIST_MAX, "envelopes.amounts",
                "must be 1 to " + LIST_MAX);
        long left = AMOUNT_MAX;
        for (int i = 0; i < amounts.length && i < LIST_MAX; i++) {
            if (amounts[i] < 1 || amounts[i] > AMOUNT_MAX) {
                violations.require(false, "envelopes.amounts[" + i + "]",
                        "must be 1 to " + AMOUNT_MAX);
                return;
            }
            left -= amounts[i];
            if (left < 0) {
                violations.require(false, "envelopes.amounts",
                        "must add up to at most " + AMOUNT_MAX);
                return;
            }
        }
    }

    private static void checkSplit(RainRequest.Envelopes envelopes, Violations violations) {
        Long total = envelopes.total();
        Integer count = envelopes.count();
        boolean possible = violations.require(total != null && total >= 1 && total <= AMOUNT_MAX,
                "envelopes.total", "must be 1 to " + AMOUNT_MAX);
        possible &= violations.require(count != null && count >= 1 && count <= SPLIT_MAX,
                "envelopes.count", "must be 1 to " + SPLIT_MAX);
        possible &= violations.require(min(envelopes) >= 1, "envelopes.min",
                "must be 1 or more");
        violations.require(Split.find(envelopes.split()) != null, "envelopes.split",
                "must be even, double-mean or random-cut");
        // By division, because a product could overflow.
        violations.require(total == null || count == null || !possible
                || total / count >= min(envelopes), "envelopes.total",
                "must be at least count times min");
    }

    private static long min(RainRequest.Envelopes envelopes) {
        return envelopes.min() == null ? 1 : envelopes.min();
    }

    private static long sum(long[] amounts) {
        long sum = 0;
        for (long amount : amounts) {
            sum += amount;
        }
        return sum;
    }

    private static String digest(long[] amounts) {
        try {
            ByteBuffer bytes = ByteBuffer.allocate(amounts.length * Long.BYTES);
            bytes.asLongBuffer().put(amounts);
            return HexFormat.of().formatHex(
                    MessageDigest.getInstance("SHA-256").digest(bytes.array()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * All amounts, in the order in which they are handed out.
     *
     * @param listed the request's amounts; null for a split
     * @param seed   of the split
     */
    long[] amounts(long @Nullable [] listed, long seed) {
        return listed != null ? listed
                : requireNonNull(Split.find(envelopes)).shares(amount, count, min, seed);
    }
}
