package dev.rush.bench.growth;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Orders and grabs, computed from their numbers so that none are kept in memory. Sales of two
 * months share partitions, and their orders are interleaved. The number of open and waiting rows
 * does not depend on the length of the history.
 *
 * @param orders all orders, at least two blocks more than open ones
 * @param open   unresolved reservations, of the latest orders
 */
record History(int orders, int open) {
    /** Orders of one block of the journal. */
    static final int BLOCK_ORDERS = 1_000;
    static final int PARTITIONS = 4;
    static final int SALES = 20;
    static final int RAINS = PARTITIONS;
    static final int[] MONTHS = {202601, 202602};
    /** The number of retries, parked returns and losses in every history. */
    static final int WAITING = 200;
    private static final int SALES_PER_PARTITION = SALES / PARTITIONS;
    private static final int RETIRED_MAX = 10_000;
    private static final int REPEAT_EVERY = 50;
    private static final long BEGAN_MS = 1_767_225_600_000L;
    private static final long WINDOW_MS = 900_000;

    /** The final state of an order, or {@code OPEN}. */
    enum Fate { PLAIN, CONFIRMED, RETURNED, EXPIRED, REJECTED, OPEN }

    int blocks() {
        return orders / BLOCK_ORDERS;
    }

    int grabs() {
        return orders / 10;
    }

    /**
     * The number of further orders that were restored without a sequence number, all in partition 0
     * and the first month. After every tenth of them a grab was restored.
     */
    int restored() {
        return Math.max(1, blocks() / 20) * BLOCK_ORDERS;
    }

    /** Returns the block of a restored order. */
    int restoredBlock(int order) {
        return 2 * blocks() + order / BLOCK_ORDERS;
    }

    /** The number of retired sales, whose orders are no longer stored. */
    int retired() {
        return Math.min(RETIRED_MAX, orders / 100);
    }

    static int partition(int order) {
        return order / BLOCK_ORDERS % PARTITIONS;
    }

    /** Returns the sequence number of an order in its partition. */
    static long seq(int order) {
        return (long) (order / BLOCK_ORDERS / PARTITIONS) * BLOCK_ORDERS
                + order % BLOCK_ORDERS + 1;
    }

    /** Returns the last sequence number of orders in a partition. */
    long lastSeq(int partition) {
        return (long) (blocks() + PARTITIONS - 1 - partition) / PARTITIONS * BLOCK_ORDERS;
    }

    private static int saleNumber(int order) {
        return partition(order) + PARTITIONS * (order % SALES_PER_PARTITION);
    }

    /** Whether an open reservation is on hold. */
    static boolean isHeld(int order) {
        return order % 10 == 9;
    }

    static String sale(int order) {
        return saleName(saleNumber(order));
    }

    static String saleName(int sale) {
        return "sale-" + sale;
    }

    static int partitionOfSale(int sale) {
        return sale % PARTITIONS;
    }

    static int monthOfSale(int sale) {
        return MONTHS[sale / PARTITIONS % MONTHS.length];
    }

    static int month(int order) {
        return monthOfSale(saleNumber(order));
    }

    /** Every fiftieth order is its buyer's second one in the sale. */
    private static boolean repeats(int order) {
        return order / SALES_PER_PARTITION % REPEAT_EVERY == REPEAT_EVERY - 1;
    }

    static String user(int order) {
        return "user-" + Long.toHexString(
                mixed(repeats(order) ? order - SALES_PER_PARTITION : order));
    }

    /** Returns the claim of an order: all sales have limits. */
    static String claim(int order) {
        return repeats(order) ? key(order) : "";
    }

    /** Returns the idempotency key; null for every second order. */
    static String key(int order) {
        return order % 2 == 0 ? "key-" + order : null;
    }

    static Map<String, Long> quantities(int order) {
        return order % 10 == 0 ? Map.of("apple", 1L, "pear", 2L) : Map.of("apple", 1L);
    }

    static UUID id(int order) {
        return id(order, mixed(order));
    }

    static UUID grabId(int grab) {
        return id(grab, mixed(-1 - grab));
    }

    /** Returns the id of a restored order, and of the grab restored after it. */
    static UUID restoredId(int order) {
        return id(order, mixed(Long.MAX_VALUE - order));
    }

    private static UUID id(int number, long random) {
        return new UUID(placedAt(number) << 16 | 0x7000 | random & 0xfff, 1L << 63 | random >>> 2);
    }

    static long placedAt(int order) {
        return BEGAN_MS + order;
    }

    long payBy(int order) {
        Fate fate = fate(order);
        return fate == Fate.OPEN || fate == Fate.CONFIRMED || fate == Fate.EXPIRED
                ? placedAt(order) + WINDOW_MS : 0;
    }

    /** Of 100 orders of a sale, 10 are confirmed, 4 returned or expired, and 1 is rejected. */
    Fate fate(int order) {
        if (order >= orders - open) {
            return Fate.OPEN;
        }
        int turn = order / SALES_PER_PARTITION % 100;
        return turn < 10 ? Fate.CONFIRMED : turn < 12 ? Fate.RETURNED : turn < 14 ? Fate.EXPIRED
                : turn == 14 ? Fate.REJECTED : Fate.PLAIN;
    }

    /** Returns the first order with this fate. Only the first open one depends on the history. */
    int first(Fate fate) {
        int order = fate == Fate.OPEN ? orders - open : 0;
        while (fate(order) != fate) {
            order++;
        }
        return order;
    }

    /** Returns the first plain orders, for which the samples pretend that credits are owed. */
    List<Integer> owed(int max) {
        return IntStream.range(0, orders).filter(order -> fate(order) == Fate.PLAIN)
                .limit(max).boxed().toList();
    }

    /** Scatters numbers over 64 bits without collisions. */
    private static long mixed(long number) {
        long mixed = (number ^ number >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
