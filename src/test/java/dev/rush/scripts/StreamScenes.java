package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the scripts read from a partition's stream, each as a scene. */
final class StreamScenes {
    private static final Partition PARTITION = new Partitions(64).of(SaleGate.SALE);
    private static final String ORDER = " u o1 k = a:1 9";

    private final LuaScripts scripts;
    private final SaleGate sale;

    StreamScenes(LuaScripts scripts) {
        this.scripts = scripts;
        sale = new SaleGate(scripts);
    }

    /** All scenes by what they show. */
    Map<String, Runnable> all() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("O4: waiting orders are counted from the stream's head", this::counted);
        all.put("a malformed entry is skipped, and counted as one", this::passedOver);
        all.put("an order is found only in purchases of its own sale", this::found);
        all.put("a replayed entry has the partition's number", this::putBack);
        return all;
    }

    private void counted() {
        sale.clear();
        assertWaiting(null, 0);
        sale.enter("purchase", "a-sale 1 0 3 3" + ORDER);
        sale.sequence(9);
        assertWaiting(3L, 7);
        sale.clear();
        sale.enter("grab", "a-rain 1 2 6 7 u g1  1 5");
        sale.sequence(9);
        assertWaiting(6L, 4);
        sale.clear();
        sale.enter("purchase", "a-sale 1 0 0 0" + ORDER);
        assertWaiting(0L, 1);
        sale.enter("purchase", "a-sale 1 0 0 0" + ORDER);
        assertWaiting(0L, 2);
    }

    private void passedOver() {
        sale.clear();
        sale.sequence(9);
        sale.enter("purchase", "bad 4");
        assertWaiting(null, 1);
        sale.enter("other", "a-sale 1 0 2 2" + ORDER + " 2");
        assertWaiting(null, 2);
        sale.enter("purchase", "a-sale 1 0 5 5" + ORDER);
        assertWaiting(5L, 5);
    }

    private void found() {
        sale.clear();
        assertThat(search("o1")).isEmpty();
        sale.enter("grab", "a-sale 1 0 1 1" + ORDER);
        assertThat(search("o1")).hasSize(1);
        sale.enter("purchase", "another 1 0 1 1" + ORDER);
        assertThat(search("o1")).hasSize(1);
        sale.enter("purchase", "a-sale 1 0 1 1 o1 o2 o1 = a:1 9" + ORDER);
        assertThat(search("o1").get(1)).isEqualTo("u");
        assertThat(search("o2").get(1)).isEqualTo("o1");
    }

    private void putBack() {
        sale.clear();
        put();
        sale.sequence(7);
        put();
        List<?> entries = scripts.redis().list("XRANGE", PARTITION.key("orders"), "-", "+");
        assertThat(entries).extracting(entry -> ((List<?>) entry).get(1).toString())
                .containsExactly("[purchase, a-sale 1 0 0 3" + ORDER + "]",
                        "[purchase, a-sale 1 0 7 3" + ORDER + "]");
        Object entry = scripts.call("order/append", List.of(PARTITION.key("orders")),
                List.of("one", "1", "two", "2"));
        assertThat(scripts.redis().list(
                "XREVRANGE", PARTITION.key("orders"), "+", "-", "COUNT", "1"))
                .isEqualTo(List.of(List.of(entry, List.of("one", "1", "two", "2"))));
    }

    private void put() {
        scripts.call("order/replay", List.of(PARTITION.key("orders"), PARTITION.key("seq")),
                List.of("purchase", "a-sale 1 0 ", " 3" + ORDER));
    }

    /** The first number that may wait, as orders see it, and how many the backlog has. */
    private void assertWaiting(Long first, long count) {
        List<?> record = (List<?>) scripts.call("order/record", List.of(key("conf"), key("stock"),
                key("buyers"), PARTITION.key("orders")), List.of("u"));
        assertThat(record.get(1)).isEqualTo(first);
        List<?> backlog = (List<?>) scripts.call("order/backlog",
                List.of(PARTITION.key("orders"), PARTITION.key("seq")), List.of());
        assertThat(backlog.get(0)).isEqualTo(count);
    }

    private List<?> search(String order) {
        return ((List<?>) scripts.call("order/search", List.of(PARTITION.key("orders")),
                List.of(SaleGate.SALE, order, "0-0", "+", "9"))).stream()
                .filter(word -> word != null).toList();
    }

    private static String key(String part) {
        return PARTITION.key("sale:" + SaleGate.SALE + ":" + part);
    }
}
