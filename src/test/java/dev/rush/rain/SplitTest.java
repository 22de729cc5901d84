package dev.rush.rain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** G2: shares of every split, over random terms from a printed seed and at the bounds. */
class SplitTest {

    private static final long TOTAL_MAX = (1L << 53) - 1;

    @ParameterizedTest
    @EnumSource(Split.class)
    void sharesAddUpAndNoneIsBelowTheMinimum(Split split) {
        long seed = System.nanoTime();
        System.out.println("SplitTest " + split + " seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 3000; i++) {
            int count = 1 + random.nextInt(random.nextBoolean() ? 10 : 2000);
            long min = 1 + random.nextInt(random.nextBoolean() ? 3 : 1_000_000);
            long spare = switch (random.nextInt(4)) {
                case 0 -> 0;
                case 1 -> random.nextInt(count + 1);
                case 2 -> random.nextInt(1_000_000);
                default -> (random.nextLong() >>> 11) % (TOTAL_MAX - min * count + 1);
            };
            check(split, min * count + spare, count, min, random.nextLong());
        }
    }

    @ParameterizedTest
    @EnumSource(Split.class)
    void boundsHoldToo(Split split) {
        check(split, 1, 1, 1, 1);
        check(split, TOTAL_MAX, 1, 1, 2);
        check(split, TOTAL_MAX, 1, TOTAL_MAX, 3);
        check(split, TOTAL_MAX, 1_000_000, 1, 4);
        check(split, TOTAL_MAX, 1_000_000, TOTAL_MAX / 1_000_000, 5);
        check(split, 1_000_000, 1_000_000, 1, 6);
        check(split, 1_000_001, 1_000_000, 1, 7);
    }

    private static void check(Split split, long total, int count, long min, long seed) {
        String terms = split + " total " + total + " count " + count + " min " + min + " seed "
                + seed;
        long[] shares = split.shares(total, count, min, seed);
        assertThat(shares).as(terms).hasSize(count);
        assertThat(Arrays.stream(shares).min().orElseThrow()).as(terms)
                .isGreaterThanOrEqualTo(min);
        assertThat(Arrays.stream(shares).max().orElseThrow()).as(terms)
                .isLessThanOrEqualTo(total);
        assertThat(Arrays.stream(shares).sum()).as(terms).isEqualTo(total);
        assertThat(split.shares(total, count, min, seed)).as(terms).isEqualTo(shares);
    }

    @ParameterizedTest
    @EnumSource(Split.class)
    void totalTooSmallForTheCountIsRefused(Split split) {
        assertThatThrownBy(() -> split.shares(9, 10, 1, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> split.shares(TOTAL_MAX, 1_000_000, Long.MAX_VALUE, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void evenSharesDifferByAtMostOne() {
        assertThat(Split.EVEN.shares(11, 4, 1, 42)).containsExactly(3, 3, 3, 2);
        assertThat(Split.EVEN.shares(1_000_003, 1000, 5, 7)).containsOnly(1000, 1001);
    }

    /** Computed by another program from the algorithm alone. */
    @Test
    void sharesOfASeedNeverChange() {
        assertThat(Split.DOUBLE_MEAN.shares(1000, 10, 1, 42))
                .containsExactly(172, 43, 175, 39, 81, 37, 163, 83, 25, 182);
        assertThat(Split.RANDOM_CUT.shares(1000, 10, 1, 42))
                .containsExactly(26, 201, 30, 195, 12, 4, 92, 15, 404, 21);
        assertThat(Split.DOUBLE_MEAN.shares(1000, 10, 1, 43))
                .isNotEqualTo(Split.DOUBLE_MEAN.shares(1000, 10, 1, 42));
    }

    /** The published first numbers of SplitMix64 for the seed 1234567. */
    @Test
    void generatorIsSplitMix64() {
        SplitMix64 random = new SplitMix64(1234567);
        assertThat(random.next()).isEqualTo(6457827717110365317L);
        assertThat(random.next()).isEqualTo(3203168211198807973L);
        assertThat(Long.toUnsignedString(random.next())).isEqualTo("9817491932198370423");
        assertThat(random.next()).isEqualTo(4593380528125082431L);
        assertThat(Long.toUnsignedString(random.next())).isEqualTo("16408922859458223821");
    }

    /** Over 20,000 splits of 100,000 into 10 from one seed each. */
    @Test
    void doubleMeanIsFairToEveryPositionAndUniformAtTheFirst() {
        int trials = 20_000;
        long[] sums = new long[10];
        int[] quarters = new int[4];
        for (int seed = 0; seed < trials; seed++) {
            long[] shares = Split.DOUBLE_MEAN.shares(100_000, 10, 1, seed);
            for (int i = 0; i < shares.length; i++) {
                sums[i] += shares[i];
            }
            assertThat(shares[0]).isBetween(1L, 19_999L);
            quarters[(int) ((shares[0] - 1) * 4 / 19_999)]++;
        }
        for (long sum : sums) {
            assertThat((double) sum / trials).isCloseTo(10_000, within(300.0));
        }
        for (int quarter : quarters) {
            assertThat((double) quarter / trials).isCloseTo(0.25, within(0.02));
        }
    }

    /** A piece of a line cut at nine points exceeds the mean with probability (1 − 1/10)^9. */
    @Test
    void randomCutIsFairToEveryPositionAndLeavesMostSharesSmall() {
        int trials = 20_000;
        long[] sums = new long[10];
        int above = 0;
        for (int seed = 0; seed < trials; seed++) {
            long[] shares = Split.RANDOM_CUT.shares(100_000, 10, 1, seed);
            for (int i = 0; i < shares.length; i++) {
                sums[i] += shares[i];
                above += shares[i] > 10_000 ? 1 : 0;
            }
        }
        for (long sum : sums) {
            assertThat((double) sum / trials).isCloseTo(10_000, within(300.0));
        }
        assertThat(above / 10.0 / trials).isCloseTo(Math.pow(0.9, 9), within(0.01));
    }
}
