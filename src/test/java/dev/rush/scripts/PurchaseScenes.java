package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Purchases at limits that random ones rarely reach, each as a scene. */
final class PurchaseScenes {
    private static final long BACKLOG = 1_000_000;
    private static final int RECORD_MAX = 16_384;
    /** A disk that fails between the beginning of a script and its first write. */
    private static final String REFUSING = """
            call = function()
              error({ err = 'MISCONF Errors writing to the AOF file: Input/output error' })
            end
            """;

    private final LuaScripts scripts;
    private final SaleGate sale;

    PurchaseScenes(LuaScripts scripts) {
        this.scripts = scripts;
        sale = new SaleGate(scripts);
    }

    /** All scenes by what they show. */
    Map<String, Runnable> all() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("a buyer with as many unpaid holds as allowed buys no more", this::unpaidHolds);
        all.put("I14: a sale keeps its release and month in the ledger", this::noted);
        all.put("a new buyer gets no more of an item than its limit", this::itemLimit);
        all.put("a single unit without its buyer is a loss", this::oneLost);
        all.put("a buyer's record is bounded by bytes", this::boundedRecord);
        all.put("a buyer's record may be as long as its bound", this::fullRecord);
        all.put("an order waits until the stream's head has passed it", this::waits);
        all.put("a write that fails fails every granted request", this::failedWrite);
        all.put("a first write that Redis refuses fails the call, which ran nothing",
                this::refusedWrite);
        all.put("a stream has room up to the backlog, whatever its head is", this::room);
        all.put("a refusal does not affect the next request for an item", this::behindRefusal);
        return all;
    }

    private void prepare(int ordersPerUser, int unpaidHolds, String... skus) {
        Map<String, SaleTerms.Item> items = new LinkedHashMap<>();
        for (String sku : skus) {
            items.put(sku, new SaleTerms.Item(1_000_000, 0));
        }
        prepare(ordersPerUser, unpaidHolds, items);
    }

    private void prepare(int ordersPerUser, int unpaidHolds, Map<String, SaleTerms.Item> items) {
        SaleTerms terms = new SaleTerms(
                0, 0, "none", 1, 0, true, ordersPerUser, unpaidHolds, items);
        sale.clear();
        sale.hold(terms, "one", "epoch");
        sale.release(terms, "epoch", true);
        sale.ensure();
    }

    private static Purchase of(String order, String user, String... skus) {
        Map<String, Long> units = new LinkedHashMap<>();
        for (String sku : skus) {
            units.put(sku, 1L);
        }
        return new Purchase(Deadline.FOREVER, order, user, order, units);
    }

    private String buy(long backlog, String order, String user, String... skus) {
        return sale.purchase(backlog, List.of(of(order, user, skus))).texts().get(0);
    }

    private void noted() {
        prepare(20, 2, "a");
        assertThat(sale.noted()).isEqualTo(List.of("epoch", "202601"));
    }

    private void unpaidHolds() {
        for (int max = 1; max <= 2; max++) {
            prepare(20, max, "a");
            for (int i = 1; i <= max; i++) {
                assertThat(buy(BACKLOG, "o" + i, "u", "a")).startsWith("accepted ");
                assertThat(sale.credit(List.of(of("o" + i, "u", "a")), true))
                        .containsExactly("credited");
            }
            assertThat(buy(BACKLOG, "o3", "u", "a"))
                    .isEqualTo("limit-reached holds " + max + " " + max);
            assertThat(buy(BACKLOG, "o4", "v", "a")).startsWith("accepted ");
        }
    }

    private void itemLimit() {
        prepare(20, 20, Map.of("one", new SaleTerms.Item(99, 1), "two", new SaleTerms.Item(99, 2),
                "any", new SaleTerms.Item(99, 0)));
        assertThat(buyUnits("o1", "one", 1)).startsWith("accepted ");
        assertThat(buyUnits("o2", "one", 2)).isEqualTo("limit-reached item one 1 0");
        assertThat(buyUnits("o3", "two", 2)).startsWith("accepted ");
        assertThat(buyUnits("o4", "two", 3)).isEqualTo("limit-reached item two 2 0");
        assertThat(buyUnits("o5", "any", 3)).startsWith("accepted ");
    }

    /** The reply to a purchase of a new buyer. A call takes its first request the slow way. */
    private String buyUnits(String order, String sku, long units) {
        String first = "before-" + order;
        return sale.purchase(BACKLOG, List.of(of(first, first, "any"), new Purchase(
                Deadline.FOREVER, order, "buyer-of-" + order, order, Map.of(sku, units))))
                .texts().get(1);
    }

    private void oneLost() {
        prepare(20, 3, "a");
        buy(BACKLOG, "o1", "u", "a");
        sale.loseOrders();
        assertThat(buy(BACKLOG, "o2", "v", "a")).isEqualTo("not-loaded");
        assertThat(sale.ensure()).isEqualTo("not-loaded");
        sale.loseTerms();
        assertThat(buy(BACKLOG, "o3", "v", "a")).isEqualTo("unknown-sale");
        assertThat(sale.ensure()).isEqualTo("unknown-sale");
    }

    private void boundedRecord() {
        String[] skus = new String[20];
        for (int i = 0; i < skus.length; i++) {
            skus[i] = (char) ('a' + i) + "x".repeat(63);
        }
        prepare(1_000, 3, skus);
        String answer = "accepted";
        int bought = 0;
        while (answer.startsWith("accepted") && bought < RECORD_MAX) {
            answer = buy(BACKLOG, "o" + bought++, "u", skus);
        }
        assertThat(answer).isEqualTo("limit-reached orders %d %d", bought - 1, bought - 1);
        assertThat(sale.recordLength("u")).isBetween(RECORD_MAX - 3_000L, (long) RECORD_MAX);
    }

    private void fullRecord() {
        prepare(20, 3, "a");
        long line = bought("o1", "probe", "k") - 1;
        long padding = RECORD_MAX - bought("o2", "full", "k") - line;
        assertThat(bought("o3", "full", "k".repeat((int) padding))).isEqualTo(RECORD_MAX);
        bought("o4", "over", "k");
        assertThat(buyWith("o5", "over", "k".repeat((int) padding + 1)))
                .isEqualTo("limit-reached orders 1 1");
    }

    /** The length of a buyer's record after one more purchase under a key. */
    private long bought(String order, String user, String key) {
        assertThat(buyWith(order, user, key)).startsWith("accepted ");
        return sale.recordLength(user);
    }

    private String buyWith(String order, String user, String key) {
        return sale.purchase(BACKLOG, List.of(new Purchase(
                Deadline.FOREVER, order, user, key, Map.of("a", 1L)))).texts().get(0);
    }

    private void behindRefusal() {
        prepare(1, 3, "a");
        buy(BACKLOG, "o1", "u", "a");
        List<String> answers = sale.purchase(BACKLOG,
                List.of(of("o2", "u", "a"), of("o3", "v", "a"))).texts();
        assertThat(answers.get(0)).isEqualTo("limit-reached orders 1 1");
        assertThat(answers.get(1)).startsWith("accepted ");
    }

    private void waits() {
        prepare(20, 3, "a");
        buy(BACKLOG, "o1", "u", "a");
        sale.drain();
        buy(BACKLOG, "o2", "u", "a");
        buy(BACKLOG, "o3", "u", "a");
        assertThat(sale.record("u").orders()).containsExactly(
                "o3 accepted waits", "o2 accepted waits", "o1 accepted");
    }

    private void failedWrite() {
        prepare(20, 3, "a");
        assertThat(buy(BACKLOG, "o1", "u", "a")).startsWith("accepted ");
        sale.breakSequence();
        List<String> answers = sale.purchase(BACKLOG, List.of(of("o2", "v", "a"),
                of("o2", "v", "a"), of("o3", "w", "b"))).texts();
        assertThat(answers.subList(0, 2)).allMatch(answer -> answer.startsWith("failed "));
        assertThat(answers.get(2)).isEqualTo("unknown-item b");
    }

    private void refusedWrite() {
        prepare(20, 3, "a");
        SaleGate refusing = new SaleGate(scripts.with("include/answer", REFUSING));
        long before = scripts.changes();
        assertThatThrownBy(() -> refusing.purchase(BACKLOG, List.of(of("o1", "v", "a"))))
                .hasMessageStartingWith("MISCONF ");
        assertThat(scripts.changes()).isEqualTo(before);
        assertThat(buy(BACKLOG, "o1", "v", "a")).startsWith("accepted ");
    }

    private void room() {
        Map<List<String>, Integer> rooms = Map.of(
                // From the fourth to the eighth number, if the head says so; else an entry.
                List.of("grab", "a-rain 1 2 4 4 u g1  1 5"), 2, List.of("purchase", "bad 2"), 6);
        rooms.forEach((head, room) -> {
            prepare(20, 3, "a");
            sale.sequence(8);
            sale.enter(head.get(0), head.get(1));
            for (int i = 0; i < room; i++) {
                assertThat(buy(7, "o" + i, "u" + i, "a")).startsWith("accepted ");
            }
            assertThat(buy(7, "o9", "u9", "a")).isEqualTo("backlogged");
        });
    }
}
