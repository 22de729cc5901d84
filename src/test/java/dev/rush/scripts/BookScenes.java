package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rush.scripts.BookGate.Kept;
import dev.rush.scripts.BookGate.Snapshot;
import dev.rush.scripts.ShardGate.Note;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the scripts of the books promise, each as a scene on an empty Redis. */
final class BookScenes {
    private static final long BACKLOG = 100;

    private final LuaScripts scripts;
    private final SaleGate sale;
    private final BookGate books;
    private final ShardGate shards;

    BookScenes(LuaScripts scripts) {
        this.scripts = scripts;
        sale = new SaleGate(scripts);
        books = new BookGate(scripts);
        shards = new ShardGate(scripts);
    }

    /** All scenes by what they show. */
    Map<String, Runnable> all() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("I3: a snapshot shows counters and stream at one instant", this::snapshot);
        all.put("I14: a snapshot shows whether a sale has lost data", this::losses);
        all.put("S4: a snapshot shows transfers that left and that arrived", this::transfers);
        all.put("I6: the waiting orders of one sale are read in parts", this::waiting);
        all.put("I6: a backlog is as old as its oldest entry", this::backlog);
        all.put("I6: a replayed entry never moves the head back", this::replay);
        all.put("I6: only accepted orders are requeued", this::requeue);
        all.put("D1: a repeated purchase writes too, a refused one does not", this::repeat);
        all.put("I3: ordered units are corrected within the total", this::adjust);
        all.put("I3: a total is corrected, but not below the ordered units", this::total);
        return all;
    }

    private static SaleTerms terms(long closesAt, boolean returnsLimit) {
        Map<String, SaleTerms.Item> items = new LinkedHashMap<>();
        items.put("a", new SaleTerms.Item(10, 3));
        items.put("b", new SaleTerms.Item(5, 0));
        items.put("c", new SaleTerms.Item(4, 1));
        return new SaleTerms(0, closesAt, "none", 1, 0, returnsLimit, 20, 3, items);
    }

    /** Prepares ten a with a limit of three, five b without, and four c with a limit of one. */
    static void prepare(SaleGate sale, long closesAt, boolean returnsLimit) {
        sale.clear();
        SaleTerms terms = terms(closesAt, returnsLimit);
        sale.hold(terms, "one", "epoch");
        sale.release(terms, "epoch", true);
        sale.ensure();
    }

    private void prepare() {
        prepare(sale, 0, true);
    }

    private String buy(String order, String sku, long units) {
        return buy(sale, order, "u-" + order, order, sku, units);
    }

    /** Buys units of an item; returns the script's reply. */
    static String buy(SaleGate sale, String order, String user, String key, String sku,
            long units) {
        return sale.purchase(BACKLOG, List.of(new Purchase(
                Deadline.FOREVER, order, user, key, Map.of(sku, units)))).texts().get(0);
    }

    private void snapshot() {
        sale.clear();
        Snapshot none = books.snapshot();
        assertThat(List.of(none.word(), none.sequence(), none.last(), none.entries()))
                .isEqualTo(List.of("not-loaded", 0L, "0-0", 0L));
        sale.hold(terms(0, true), "one", "epoch");
        assertThat(books.snapshot().word()).isEqualTo("not-loaded");
        prepare();
        long before = System.currentTimeMillis();
        buy("o1", "a", 2);
        buy("o2", "b", 1);
        Snapshot two = books.snapshot();
        Workload.isNow(before, two.now());
        assertThat(List.of(two.word(), two.sequence(), two.last(), two.entries()))
                .isEqualTo(List.of("loaded", 2L, books.last(), 2L));
        assertThat(two.counters()).containsAllEntriesOf(Map.of("a:total", "10", "a:ordered", "2",
                "b:total", "5", "b:ordered", "1"));
        assertThat(two.notes()).isEmpty();
        assertThat(two.given()).isEmpty();
    }

    private void repeat() {
        prepare();
        Map<String, Long> one = Map.of("a", 1L);
        Purchase first = new Purchase(Deadline.FOREVER, "o1", "u", "key", one);
        assertThat(sale.purchase(100, List.of(first)).texts().get(0)).startsWith("accepted ");
        long before = scripts.changes();
        Purchase again = new Purchase(Deadline.FOREVER, "o2", "u", "key", one);
        assertThat(sale.purchase(100, List.of(again)).texts().get(0)).startsWith("replayed o1 ");
        assertThat(scripts.changes()).isEqualTo(before + 1);
        Purchase refused = new Purchase(Deadline.FOREVER, "o3", "other", "key",
                Map.of("a", 1000L));
        assertThat(sale.purchase(100, List.of(refused)).texts().get(0))
                .startsWith("limit-reached ");
        assertThat(scripts.changes()).isEqualTo(before + 1);
        assertThat(books.snapshot().entries()).isEqualTo(1);
        assertThat(books.snapshot().sequence()).isEqualTo(1);
    }

    private void losses() {
        prepare();
        books.lose("buyers");
        assertThat(books.snapshot().word()).isEqualTo("loaded");
        buy("o1", "a", 1);
        assertThat(books.snapshot().word()).isEqualTo("loaded");
        books.lose("buyers");
        assertThat(books.snapshot().word()).isEqualTo("not-loaded");
        for (String part : List.of("conf", "stock")) {
            prepare();
            books.lose(part);
            assertThat(books.snapshot().word()).as(part).isEqualTo("not-loaded");
        }
        SaleTerms terms = terms(0, true);
        prepare();
        books.lose("conf");
        sale.hold(terms, "one", "epoch");
        assertThat(books.snapshot().word()).isEqualTo("not-loaded");
    }

    private void transfers() {
        shards.prepare(List.of(100L, 100L, 100L));
        shards.take(0, "t-1", 1, 7);
        shards.take(0, "t-2", 2, 7);
        shards.take(1, "t-3", 0, 7);
        for (Note note : shards.notes()) {
            if (note.destination() == 0) {
                shards.give(note);
            }
        }
        Snapshot snapshot = books.snapshot("t-3", "t-1", "t-4");
        assertThat(snapshot.notes()).containsOnlyKeys("t-1", "t-2");
        assertThat(snapshot.notes().get("t-1")).startsWith("0 1 a 50 ");
        assertThat(snapshot.given()).containsExactly("t-3");
        assertThat(books.clear(true)).isEqualTo("cleared");
        assertThat(books.snapshot("t-3").given()).isEmpty();
        assertThat(books.snapshot().notes()).isEmpty();
    }

    private void waiting() {
        prepare();
        assertThat(books.waiting("0-0", "+", 10)).containsExactly((String) null);
        buy("o1", "a", 1);
        books.addForeign("*");
        buy("o2", "b", 2);
        buy("o3", "a", 3);
        String end = books.last();
        buy("o4", "a", 1);
        List<String> found = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        List<String> part = books.waiting("0-0", end, 2);
        while (part.get(0) != null) {
            found.addAll(part.subList(1, part.size()));
            sizes.add(part.size() - 1);
            part = books.waiting(part.get(0), end, 2);
        }
        assertThat(found).containsExactly("o1 a:1", "o2 b:2", "o3 a:3");
        assertThat(sizes).containsExactly(1, 2);
    }

    private void backlog() {
        prepare();
        assertThat(books.backlog()).isEqualTo(List.of(0L, 0L));
        sale.clear();
        long later = System.currentTimeMillis() + 100_000;
        books.addForeign("1000-1");
        books.addForeign(later + "-1");
        long now = System.currentTimeMillis();
        assertThat(books.backlog().get(0)).isEqualTo(2L);
        Workload.isNow(now, (Long) books.backlog().get(1) + 1000);
        sale.clear();
        books.addForeign(later + "-1");
        assertThat(books.backlog()).isEqualTo(List.of(1L, 0L));
    }

    private void replay() {
        prepare();
        buy("o1", "a", 1);
        buy("o2", "a", 1);
        sale.drain();
        books.replay("another-sale 1 0 ", " 1 u o k = a:1 1");
        assertThat(books.places()).containsExactly("2");
        assertThat(sale.record("u-o1").orders()).containsExactly("o1 accepted");
        assertThat(sale.record("u-o2").orders()).containsExactly("o2 accepted waits");
        buy("o3", "a", 1);
        assertThat(books.places()).containsExactly("2", "3");
        assertThat(sale.record("u-o3").orders()).containsExactly("o3 accepted waits");
    }

    private void requeue() {
        prepare();
        buy("o1", "a", 1);
        buy("o2", "a", 1);
        buy("o3", "b", 2);
        sale.credit(List.of(new Purchase(0, "o2", "u-o2", "o2", Map.of())), false);
        books.lose("stream");
        assertThat(books.requeue("o1", "o2", "o3", "o4")).isEqualTo(2);
        assertThat(books.places()).containsExactly("3", "3");
        assertThat(sale.drain()).extracting(SaleGate.Accepted::order, SaleGate.Accepted::user,
                SaleGate.Accepted::lines, SaleGate.Accepted::sequence).containsExactly(
                tuple("o1", "u-o1", "a:1", 0L),
                tuple("o3", "u-o3", "b:2", 0L));
        assertThat(books.requeue("o2", "o4")).isZero();
        assertThat(sale.drain()).isEmpty();
        books.lose("sequence");
        assertThat(books.requeue("o1")).isEqualTo(1);
        assertThat(books.places()).containsExactly("0");
    }

    private String counters(String sku) {
        return sale.view().counters().get(sku);
    }

    private void adjust() {
        prepare();
        assertThat(books.adjust("none", 1)).isEqualTo("not-loaded");
        assertThat(books.adjust("a", 4)).isEqualTo("adjusted 4");
        assertThat(counters("a")).isEqualTo("4/10 0");
        assertThat(books.adjust("a", 20)).isEqualTo("adjusted 6");
        assertThat(counters("a")).isEqualTo("10/10 0");
        assertThat(books.adjust("a", -3)).isEqualTo("adjusted -3");
        String changes = sale.view().changes();
        assertThat(books.adjust("a", -100)).isEqualTo("adjusted -7");
        assertThat(counters("a")).isEqualTo("0/10 0");
        assertThat(counters("b")).isEqualTo("0/5 0");
        assertThat(sale.view().changes()).isNotEqualTo(changes);
        assertThat(books.adjust("b", 0)).isEqualTo("adjusted 0");
        assertThat(books.adjust("b", 5)).isEqualTo("adjusted 5");
        assertThat(books.adjust("b", -3, 2)).isEqualTo("adjusted -3");
        assertThat(counters("b")).isEqualTo("2/3 0");
        assertThat(books.adjust("b", -1, 2)).isEqualTo("adjusted -1");
        assertThat(counters("b")).isEqualTo("1/2 0");
        assertThat(books.adjust("b", 1, 2)).isEqualTo("adjusted 1");
        assertThat(counters("b")).isEqualTo("2/2 0");
        books.lose("conf");
        assertThat(books.adjust("a", 1)).isEqualTo("not-loaded");
    }

    private void total() {
        prepare();
        assertThat(books.total("none", 1, 3, "-")).isEqualTo("not-loaded");
        buy("o1", "a", 3);
        String changes = sale.view().changes();
        assertThat(books.total("a", 5, 3, "-")).isEqualTo("adjusted 5");
        assertThat(counters("a")).isEqualTo("3/15 0");
        assertThat(sale.view().changes()).isNotEqualTo(changes);
        assertThat(sale.total("a", 20, 3)).isEqualTo("overtaken");
        assertThat(sale.total("a", 20, 4)).isEqualTo("done");
        assertThat(books.total("a", -100, 5, "40")).isEqualTo("adjusted -17");
        assertThat(counters("a")).isEqualTo("3/3 0");
        assertThat(sale.total("a", 41, 6)).isEqualTo("done");
        assertThat(counters("a")).isEqualTo("3/4 0");
        books.lose("conf");
        assertThat(books.total("a", 1, 7, "-")).isEqualTo("not-loaded");
    }

    /** An order as the ledger keeps it. */
    static Kept kept(String state, String user, String order, String lines) {
        return new Kept(state, user, order, order, lines, "1");
    }
}
