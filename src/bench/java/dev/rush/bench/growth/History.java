package dev.rush.bench.growth;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Orders and grabs that were ever stored, told by their number, so that nothing of them is kept in
 * memory. Sales of two months share partitions, and their orders come interleaved. What is open or
 * waits is as much in every history, however long it is.
 *
 * @param orders at least two batches more than are open
 * @param open   reservations that are not resolved: the latest orders
 */
record History(int orders, int open) {
    static final int BATCH = 1_000;
    static final int PARTITIONS = 4;
    static final int SALES = 20;
    static final int RAINS = PARTITIONS;
    static final int[] MONTHS = {202601, 202602};
    /** What is left to retry, parked, or lost, in every history. */
    static final int WAITING = 200;
    private static final int SALES_PER_PARTITION = SALES / PARTITIONS;
    private static final int RETIRED_MAX = 10_000;
    private static final int REPEAT_EVERY = 50;
    private static final long BEGAN_MS = 1_767_225_600_000L;
    private static final long WINDOW_MS = 900_000;

    /** What became of an order. */
    enum Fate { PLAIN, CONFIRMED, RETURNED, EXPIRED, REJECTED, OPEN }

    int batches() {
        return orders / BATCH;
    }

    int grabs() {
        return orders / 10;
    }

    /** Sales that are over, and of whose orders nothing is here any more. */
    int retired() {
        return Math.min(RETIRED_MAX, orders / 100);
    }

    static int partition(int order) {
        return order / BATCH % PARTITIONS;
    }

    /** The number of an order in its partition. */
    static long seq(int order) {
        return (long) (order / BATCH / PARTITIONS) * BATCH + order % BATCH + 1;
    }

    /** The highest number of a partition. */
    long lastSeq(int partition) {
        return (long) (batches() + PARTITIONS - 1 - partition) / PARTITIONS * BATCH;
    }

    private static int saleNumber(int order) {
        return partition(order) + PARTITIONS * (order % SALES_PER_PARTITION);
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

    /** All sales have limits. */
    static String claim(int order) {
        return repeats(order) ? key(order) : "";
    }

    /** Half of the clients send none. */
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

    /** Of a hundred orders of a sale ten are confirmed, four end, and a guard refuses one. */
    Fate fate(int order) {
        if (order >= orders - open) {
            return Fate.OPEN;
        }
        int turn = order / SALES_PER_PARTITION % 100;
        return turn < 10 ? Fate.CONFIRMED : turn < 12 ? Fate.RETURNED : turn < 14 ? Fate.EXPIRED
                : turn == 14 ? Fate.REJECTED : Fate.PLAIN;
    }

    /** The first order with this fate; the same one in every history, but for open ones. */
    int first(Fate fate) {
        int order = fate == Fate.OPEN ? orders - open : 0;
        while (fate(order) != fate) {
            order++;
        }
        return order;
    }

    /** The first orders to which nothing happened; their credits are owed, as far as is told. */
    List<Integer> owed(int max) {
        return IntStream.range(0, orders).filter(order -> fate(order) == Fate.PLAIN)
                .limit(max).boxed().toList();
    }

    /** Scatters numbers over 63 bits without meeting itself, as names of people do. */
    private static long mixed(long number) {
        long mixed = (number ^ number >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
