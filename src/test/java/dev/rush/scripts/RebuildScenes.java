package dev.rush.scripts;

import static dev.rush.scripts.BookScenes.buy;
import static dev.rush.scripts.BookScenes.kept;
import static dev.rush.scripts.BookScenes.prepare;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.scripts.BookGate.Kept;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a sale that Redis lost comes back, and how one that is over goes, each as a scene. */
final class RebuildScenes {
    private static final List<String> ITEMS = List.of("stock", "a:total", "10", "stock",
            "a:ordered", "2", "stock", "a:limit", "3");

    private final SaleGate sale;
    private final BookGate books;
    /** The last reply of a release. */
    private List<?> released = List.of();

    RebuildScenes(LuaScripts scripts) {
        sale = new SaleGate(scripts);
        books = new BookGate(scripts);
    }

    /** All scenes by what they show. */
    Map<String, Runnable> all() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("I7: an order is restored once, with its key, and counts for limits", this::once);
        all.put("I3: units that others have by now are not deducted again", this::shortOf);
        all.put("R2: a credited order is restored as credited", this::givenBack);
        all.put("I14: nothing is restored into a sale that is not loaded", this::notLoaded);
        all.put("I14: lost records are noticed, not begun anew", this::lostBuyers);
        all.put("I14: a whole sale is cleared only on request", this::clear);
        all.put("I7: a rebuilt sale answers as the lost one did", this::rebuild);
        all.put("I6: sequence and list of sales never go back", this::release);
        all.put("an open sale is not retired, and a retired one leaves no keys", this::retire);
        return all;
    }

    private String counters(String sku) {
        return sale.view().counters().get(sku);
    }

    private void once() {
        prepare(sale, 0, true);
        String changes = sale.view().changes();
        Kept order = kept("a", "u", "o1", "a:2,b:1");
        assertThat(books.restore(order, order)).containsExactly("restored -", "repeated a");
        assertThat(sale.view().changes()).isNotEqualTo(changes);
        assertThat(counters("a")).isEqualTo("2/10 0");
        assertThat(counters("b")).isEqualTo("1/5 0");
        assertThat(books.restore(new Kept("a", "u", "o1", "o2", "a:1", "1")))
                .containsExactly("key-reused");
        Map<String, Long> units = new LinkedHashMap<>();
        units.put("a", 2L);
        units.put("b", 1L);
        // The order was entered under the digest of a single line.
        assertThat(sale.purchase(100, List.of(new Purchase(Deadline.FOREVER, "o9", "u", "o1",
                units))).texts().get(0)).isEqualTo("key-reused");
        assertThat(books.restore(kept("a", "v", "o3", "a:1"))).containsExactly("restored -");
        assertThat(buy(sale, "o4", "v", "o3", "a", 1)).isEqualTo(
                kept("a", "v", "o3", "a:1").replayed());
        assertThat(buy(sale, "o5", "u", "o5", "a", 2)).isEqualTo("limit-reached item a 3 2");
        assertThat(books.restore(kept("c", "v", "o3", "a:1"))).containsExactly("repeated a");
        Kept keyed = new Kept("a", "x", "k", "o8", "b:1", "1");
        assertThat(books.restore(keyed, keyed, new Kept("a", "x", "k", "o9", "b:1", "1"),
                new Kept("a", "x", "k2", "o10", "b:1", "1"))).containsExactly(
                "restored -", "repeated a", "key-reused", "restored -");
        assertThat(books.restore(kept("a", "w", "o6", "c:1"))).containsExactly("restored -");
        assertThat(buy(sale, "o7", "w", "o7", "c", 1)).isEqualTo("limit-reached item c 1 1");
    }

    private void shortOf() {
        prepare(sale, 0, true);
        assertThat(books.restore(kept("a", "u", "o1", "b:4"), kept("a", "u", "o2", "b:3,a:1"),
                kept("a", "u", "o3", "z:1,b:2"), kept("a", "u", "o4", "b:1,b:0")))
                .containsExactly("restored -", "restored b:2", "restored z:1,b:2", "restored b:1");
        assertThat(counters("b")).isEqualTo("5/5 0");
        assertThat(counters("a")).isEqualTo("1/10 0");
    }

    private void givenBack() {
        for (boolean returnsLimit : new boolean[] {true, false}) {
            prepare(sale, 0, returnsLimit);
            assertThat(books.restore(kept("c", "u", "o1", "a:2,b:1")))
                    .containsExactly("restored -");
            assertThat(counters("a")).isEqualTo("0/10 2");
            assertThat(counters("b")).isEqualTo("0/5 1");
            assertThat(books.restore(kept("a", "u", "o1", "a:2"))).containsExactly("repeated c");
            assertThat(buy(sale, "o2", "u", "o2", "a", 4)).isEqualTo(
                    "limit-reached item a 3 " + (returnsLimit ? 0 : 2));
            sale.drain();
        }
    }

    private void notLoaded() {
        Kept order = kept("a", "u", "o1", "a:1");
        for (String part : List.of("conf", "stock")) {
            prepare(sale, 0, true);
            books.lose(part);
            assertThat(books.restore(order, order)).containsExactly("not-loaded", "not-loaded");
            assertThat(sale.view().changes()).isEqualTo(part.equals("conf") ? null : "0");
        }
        loseBuyers();
        assertThat(books.restore(order)).containsExactly("not-loaded");
        assertThat(books.snapshot().word()).isEqualTo("not-loaded");
        prepare(sale, 0, true);
        SaleTerms terms = new SaleTerms(0, 0, "none", 1, 0, true, 20, 3, Map.of());
        books.lose("conf");
        sale.hold(terms, "one", "epoch");
        assertThat(books.restore(order)).containsExactly("not-loaded");
        assertThat(counters("a")).isEqualTo("0/10 0");
    }

    private void loseBuyers() {
        prepare(sale, 0, true);
        buy(sale, "o1", "u", "o1", "a", 1);
        books.lose("buyers");
    }

    private void lostBuyers() {
        loseBuyers();
        assertThat(sale.tombstone("v", "key")).isEqualTo("not-loaded");
        assertThat(sale.record("v").isLoaded()).isFalse();
        assertThat(books.snapshot().word()).isEqualTo("not-loaded");
        prepare(sale, 0, true);
        books.lose("buyers");
        assertThat(sale.record("v").isLoaded()).isTrue();
        assertThat(sale.tombstone("v", "key")).isEqualTo("order-returned");
    }

    private void clear() {
        prepare(sale, 0, true);
        assertThat(books.clear(false)).isEqualTo("loaded");
        buy(sale, "o1", "u", "o1", "a", 1);
        assertThat(books.clear(false)).isEqualTo("loaded");
        books.lose("buyers");
        assertThat(books.clear(false)).isEqualTo("cleared");
        assertThat(sale.view().counters()).isEmpty();
        assertThat(buy(sale, "o2", "u", "o2", "a", 3)).isEqualTo("not-loaded");
        prepare(sale, 0, true);
        books.lose("buyers");
        assertThat(books.clear(false)).isEqualTo("loaded");
        for (String part : List.of("conf", "stock")) {
            prepare(sale, 0, true);
            buy(sale, "o1", "u", "o1", "a", 1);
            books.lose(part);
            assertThat(books.clear(false)).as(part).isEqualTo("cleared");
        }
        prepare(sale, 0, true);
        buy(sale, "o1", "u", "o1", "a", 3);
        assertThat(books.clear(true, "0")).isEqualTo("cleared");
        assertThat(buy(sale, "o2", "w", "o2", "a", 1)).isEqualTo("not-loaded");
        assertThat(sale.record("u").orders()).as("its records are kept").hasSize(1);
        assertThat(books.clear(false, "0")).as("when it is repeated").isEqualTo("cleared");
        assertThat(books.clear(true)).isEqualTo("cleared");
        books.fill(kept("a", "v", "o3", "a:2"));
        release(1, 0);
        assertThat(buy(sale, "o2", "u", "o1", "a", 3)).startsWith("accepted ");
    }

    private String release(long preparedAt, long min, String... more) {
        List<String> fields = new ArrayList<>(List.of("conf", "definition", "one", "conf",
                "opens_at", "0", "conf", "closes_at", "0", "conf", "paused", "0", "conf",
                "closed_at", "0", "conf", "guard", "none", "conf", "guard_window", "1", "conf",
                "payment_window", "0", "conf", "returns_limit", "1", "conf",
                "orders_per_user", "20", "conf", "unpaid_holds", "3", "conf", "changes", "0"));
        fields.addAll(ITEMS);
        fields.addAll(List.of(more));
        released = books.release(preparedAt, min, preparedAt > 0, fields.toArray(String[]::new));
        return (String) released.get(0);
    }

    private void rebuild() {
        prepare(sale, 0, true);
        assertThat(books.fill(kept("a", "u", "o1", "a:1"))).isEqualTo("loaded");
        assertThat(release(1, 0)).isEqualTo("loaded");
        books.clear(true);
        Kept order = kept("a", "u", "o1", "a:2");
        assertThat(books.fill(order)).isEqualTo("filled");
        assertThat(books.fill(new Kept("a", "u", "o1", "o2", "a:1", "1"))).isEqualTo("filled");
        assertThat(books.fill(kept("a", "v", "o3", "a:1"))).isEqualTo("filled");
        assertThat(books.fill(kept("a", "v", "o4", "a:1"))).isEqualTo("filled");
        assertThat(books.fill(new Kept("a", "x", "k", "o10", "b:1", "1"))).isEqualTo("filled");
        assertThat(books.fill(new Kept("a", "x", "k", "o11", "b:1", "1"))).isEqualTo("filled");
        assertThat(books.fill(new Kept("a", "x", "k2", "o12", "b:1", "1"))).isEqualTo("filled");
        assertThat(sale.record("x").orders()).containsExactly("o12 accepted", "o10 accepted");
        assertThat(release(1, 0)).isEqualTo("released");
        assertThat(books.snapshot().word()).isEqualTo("loaded");
        assertThat(buy(sale, "o5", "u", "o1", "a", 2)).isEqualTo(order.replayed());
        assertThat(buy(sale, "o6", "u", "o6", "a", 2)).isEqualTo("limit-reached item a 3 2");
        assertThat(buy(sale, "o7", "v", "o7", "a", 2)).isEqualTo("limit-reached item a 3 2");
        assertThat(counters("a")).isEqualTo("2/10 0");
        assertThat(buy(sale, "o8", "w", "o8", "a", 1)).startsWith("accepted ");
    }

    private void release() {
        prepare(sale, 0, true);
        buy(sale, "o1", "u", "o1", "a", 1);
        buy(sale, "o2", "u", "o2", "a", 1);
        long[][] mins = {{1, 2}, {2, 2}, {3, 3}, {0, 3}, {9, 9}};
        for (long[] min : mins) {
            books.clear(true);
            BookGate.Snapshot before = books.snapshot();
            assertThat(release(7, min[0])).isEqualTo("released");
            BookGate.Snapshot after = books.snapshot();
            assertThat(after.sequence()).isEqualTo(min[1]);
            assertThat(released.get(1)).isEqualTo(before.sequence());
            assertThat((Long) released.get(2)).isBetween(before.now(), after.now());
        }
        assertThat(sale.listedSince()).isEqualTo("7");
        // Terms that the sale no longer has must not come back.
        prepare(sale, 0, true);
        books.lose("conf");
        sale.hold(new SaleTerms(0, 0, "none", 1, 0, true, 20, 3, Map.of()), "one", "epoch");
        books.clear(true);
        books.fill(kept("a", "v", "o3", "a:2"));
        release(1, 1);
        assertThat(books.snapshot().word()).isEqualTo("loaded");
        sale.clear();
        assertThat(release(0, 1)).isEqualTo("released");
        assertThat(sale.listedSince()).isNull();
        assertThat(books.snapshot().sequence()).isEqualTo(1);
    }

    private void retire() {
        long now = System.currentTimeMillis();
        prepare(sale, 0, true);
        books.listForeign();
        assertThat(books.retire()).isEqualTo("open");
        sale.control("close");
        assertThat(books.retire()).isEqualTo("retired");
        assertThat(books.keys()).isZero();
        assertThat(sale.listedSince()).isNull();
        assertThat(books.isForeignListed()).isTrue();
        assertThat(books.retire()).isEqualTo("retired");

        prepare(sale, now + 100_000, true);
        assertThat(books.retire()).isEqualTo("open");
        sale.control("close");
        buy(sale, "o1", "u", "o1", "a", 1);
        assertThat(books.retire()).isEqualTo("retired");

        prepare(sale, 0, true);
        buy(sale, "o1", "u", "o1", "a", 1);
        assertThat(books.retire()).isEqualTo("open");
        sale.control("close");
        assertThat(books.retire()).isEqualTo("waiting");
        assertThat(counters("a")).isEqualTo("1/10 0");
        sale.drain();
        assertThat(books.retire()).isEqualTo("retired");
        assertThat(books.snapshot().sequence()).isEqualTo(1);

        // Entries after its end belong to other sales.
        prepare(sale, 0, true);
        buy(sale, "o1", "u", "o1", "a", 1);
        sale.control("close");
        assertThat(books.retire()).isEqualTo("waiting");
        sale.drain();
        books.sellForeign();
        assertThat(books.retire()).isEqualTo("retired");
        prepare(sale, System.currentTimeMillis() - 1, true);
        assertThat(books.retire()).isEqualTo("retired");
    }
}
