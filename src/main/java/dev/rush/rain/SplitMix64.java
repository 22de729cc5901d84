package dev.rush.rain;

/**
 * The generator SplitMix64, implemented here so that a seed gives the same shares in every version
 * of Java. It is fast and well mixed, but not secure: the seed determines all values.
 *
 * @see <a href="https://doi.org/10.1145/2660193.2660195">G. Steele, D. Lea, C. Flood, Fast
 *      Splittable Pseudorandom Number Generators (2014), figure 16</a>
 */
final class SplitMix64 {

    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private long state;

    SplitMix64(long seed) {
        state = seed;
    }

    /** The next 64 bits. */
    long next() {
        state += GOLDEN_GAMMA;
        long z = state;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /**
     * A uniform number from 0 to {@code bound} − 1. Draws from the last, incomplete interval are
     * repeated, because their remainders would be biased.
     */
    long below(long bound) {
        long bits = next() >>> 1;
        long value = bits % bound;
        while (bits - value + (bound - 1) < 0) {
            bits = next() >>> 1;
            value = bits % bound;
        }
        return value;
    }
}
