package dev.rush.rain;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Ways to split a total into shares. Each share is at least the minimum, the shares add up to the
 * total exactly, and the same seed gives the same shares on every machine and in every version.
 *
 * <p>All of them set the minimum of every share aside and split what remains, the <i>spare</i>.
 */
enum Split {

    /** Shares that differ by at most one, the larger ones first. Takes O(n). */
    EVEN("even") {
        @Override
        void spread(long spare, long[] shares, SplitMix64 random) {
            long each = spare / shares.length;
            int larger = (int) (spare % shares.length);
            for (int i = 0; i < shares.length; i++) {
                shares[i] += each + (i < larger ? 1 : 0);
            }
        }
    },

    /**
     * Each share is uniform between the minimum and twice the mean of the remainder, less the
     * minimum, so its expectation is that mean, for early and late grabs alike. The last share is
     * the remainder. Takes O(n).
     *
     * @see <a href="https://zhangshengrong.com/p/7B1Lqb6Raw">The method of WeChat's red packets
     *      (in Chinese: 二倍均值法), with code</a>
     */
    DOUBLE_MEAN("double-mean") {
        @Override
        void spread(long spare, long[] shares, SplitMix64 random) {
            long left = spare;
            for (int i = 0; i < shares.length - 1; i++) {
                // At most 2^54, and with two or more remaining shares never more than what is left.
                long max = 2 * left / (shares.length - i);
                long more = random.below(max + 1);
                shares[i] += more;
                left -= more;
            }
            shares[shares.length - 1] += left;
        }
    },

    /**
     * Cuts the spare at independent, uniformly distributed points; a share is the piece between two
     * neighbouring cuts. A few shares are large, many are small. Takes O(n log n).
     *
     * @see <a href="https://luc.devroye.org/rnbookindex.html">L. Devroye, Non-Uniform Random
     *      Variate Generation (1986), V.2: uniform spacings</a>
     */
    RANDOM_CUT("random-cut") {
        @Override
        void spread(long spare, long[] shares, SplitMix64 random) {
            long[] cuts = new long[shares.length];
            for (int i = 0; i < cuts.length - 1; i++) {
                cuts[i] = random.below(spare + 1);
            }
            cuts[cuts.length - 1] = spare;
            Arrays.sort(cuts);
            long before = 0;
            for (int i = 0; i < cuts.length; i++) {
                shares[i] += cuts[i] - before;
                before = cuts[i];
            }
        }
    };

    private final String text;

    Split(String text) {
        this.text = text;
    }

    /** The split as spelled in requests. */
    String text() {
        return text;
    }

    /** The split with this name, or null. */
    static @Nullable Split find(@Nullable String text) {
        for (Split split : values()) {
            if (split.text.equals(text)) {
                return split;
            }
        }
        return null;
    }

    /**
     * The shares, in the order in which they are handed out.
     *
     * @param total at most 2^53 − 1, and at least {@code count} times {@code min}
     * @param count 1 or more
     */
    long[] shares(long total, int count, long min, long seed) {
        if (count < 1 || min > total / count || total >= 1L << 53) {
            throw new IllegalArgumentException(total + " into " + count + " of at least " + min);
        }
        long[] shares = new long[count];
        Arrays.fill(shares, min);
        spread(total - min * count, shares, new SplitMix64(seed));
        return shares;
    }

    /** Distributes the spare over the shares, which already hold the minimum. */
    abstract void spread(long spare, long[] shares, SplitMix64 random);
}
