package dev.rush.ledger.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.Lines;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import dev.rush.ledger.writer.Verdicts.Item;
import dev.rush.ledger.writer.Verdicts.Verdict;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The decisions of the writer's guards, without a ledger. */
class VerdictsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long HOUR = 3_600_000;
    private static final String OVER_LIMIT = "the user's limit is reached";
    private static final String SOLD = "the total is already sold";
    private static final String REUSED = "its idempotency key belongs to another order";
    private static final Terms LIMITED = new Terms(202601, 0, 3, true, NOW, 10, true,
            Map.of("a", 2L, "b", 0L));
    private static final Terms OPEN = new Terms(202601, 5_000, 3, true, NOW, 10, false,
            Map.of("a", 0L));
    private final Map<String, Terms> terms = Map.of("limited", LIMITED, "open", OPEN);
    private final Holdings holdings = new Holdings();
    private final Map<Item, Long> left = new HashMap<>();

    private static Purchase order(String sale, String user, String key, String lines) {
        return placed(sale, user, key, lines, NOW);
    }

    private static Purchase placed(String sale, String user, String key, String lines, long at) {
        return new Purchase("1-1", UUID.randomUUID(), sale, user, key, "=", lines, "1",
                Lines.quantities(lines), at, 0, 1);
    }

    private static Verdict claims(String claim) {
        return new Verdict(claim, null);
    }

    private static Verdict refused(String reason) {
        return new Verdict(null, reason);
    }

    private List<Verdict> fast(Purchase... purchases) {
        Verdicts verdicts = new Verdicts(terms, holdings, null);
        return List.of(purchases).stream().map(verdicts::of).toList();
    }

    private List<Verdict> careful(Purchase... purchases) {
        Verdicts verdicts = new Verdicts(terms, holdings, left);
        return List.of(purchases).stream().map(verdicts::of).toList();
    }

    @Test
    @DisplayName("I4: a buyer's first order has an empty claim, a later one claims its key")
    void firstOrders() {
        assertThat(fast(order("limited", "u", "k", "a:1"), order("limited", "u", "l", "a:1"),
                order("limited", "v", null, "a:1"), order("limited", "v", null, "b:1")))
                .containsExactly(claims(""), claims("l"), claims(""), claims(null));
        holdings.of("limited", "w").add("1", Map.of("b", 1L), true);
        assertThat(fast(order("limited", "w", "k", "a:1"))).containsExactly(claims("k"));
    }

    @Test
    @DisplayName("I7: without limits, an order claims only its key")
    void openSales() {
        assertThat(fast(order("open", "u", "k", "a:9"), order("open", "u", null, "a:9"),
                order("open", "u", "l", "a:9"), order("open", "u", "m", "a:9")))
                .containsExactly(claims("k"), claims(null), claims("l"), claims("m"));
    }

    @Test
    @DisplayName("I7: a key belongs to one order, in the ledger or in the batch")
    void keys() {
        holdings.of("limited", "u").add("k", Map.of("a", 1L), false);
        assertThat(fast(order("limited", "u", "k", "a:1"), order("limited", "v", "k", "a:1"),
                order("limited", "v", "k", "a:1"), order("open", "u", "k", "a:1"),
                order("open", "u", "k", "a:1")))
                .containsExactly(refused(REUSED), claims(""), refused(REUSED), claims("k"),
                        refused(REUSED));
    }

    @Test
    @DisplayName("I7: the id of an order without a key is its key, whichever comes first")
    void idsAsKeys() {
        Purchase plain = order("limited", "u", null, "b:1");
        Purchase late = order("limited", "v", null, "b:1");
        assertThat(fast(plain, order("limited", "u", plain.name(), "b:1"),
                order("limited", "v", late.name(), "b:1"), late))
                .containsExactly(claims(""), refused(REUSED), claims(""), refused(REUSED));
    }

    @Test
    @DisplayName("I4: no user exceeds the limit; earlier orders come first")
    void limits() {
        holdings.of("limited", "u").add("2", Map.of("a", 1L), true);
        assertThat(fast(order("limited", "u", null, "a:2"), order("limited", "u", null, "a:1"),
                order("limited", "v", null, "a:1"), order("limited", "v", null, "a:2,b:1"),
                order("limited", "v", null, "b:9")))
                .containsExactly(refused(OVER_LIMIT), claims(null), claims(""),
                        refused(OVER_LIMIT), claims(null));
    }

    @Test
    @DisplayName("I4: returned units do not count, but their orders do")
    void ended() {
        holdings.of("limited", "u").add("3", Map.of("a", 2L), false);
        holdings.of("limited", "u").add("1", Map.of("b", 1L), true);
        assertThat(fast(order("limited", "u", null, "a:2"), order("limited", "u", null, "b:1")))
                .containsExactly(claims(null),
                        refused("the user's maximum number of orders is reached"));
    }

    @Test
    @DisplayName("I1: an order beyond the total is refused whole; a later one that fits is sold")
    void totals() {
        left.put(new Item("open", "a"), 3L);
        left.put(new Item("limited", "a"), 9L);
        left.put(new Item("limited", "b"), 1L);
        assertThat(careful(order("open", "u", null, "a:2"), order("open", "v", null, "a:2"),
                order("open", "w", null, "a:1"), order("open", "x", null, "a:1"),
                order("limited", "u", null, "a:1,b:2"), order("limited", "u", null, "a:2,b:1")))
                .containsExactly(claims(null), refused(SOLD), claims(null), refused(SOLD),
                        refused(SOLD), claims(""));
        assertThat(left).containsEntry(new Item("open", "a"), 3L);
        assertThat(careful(order("limited", "y", null, "b:1")))
                .containsExactly(claims(""));
    }

    @Test
    @DisplayName("I15: an order must be paid within its sale's window, whatever its entry says")
    void paymentWindow() {
        assertThat(OPEN.payBy(order("open", "u", null, "a:1"))).isEqualTo(NOW + 5_000);
        assertThat(LIMITED.payBy(order("limited", "u", null, "a:1"))).isZero();
    }

    @Test
    @DisplayName("I15: an order that no script can have granted is forged")
    void forgeries() {
        assertThat(LIMITED.forgery(order("limited", "u", null, "a:10,b:10"), NOW)).isNull();
        assertThat(LIMITED.forgery(order("limited", "u", null, "a:11"), NOW))
                .isEqualTo("more units than sale limited allows");
        assertThat(LIMITED.forgery(order("limited", "u", null, "c:1"), NOW))
                .isEqualTo("the ledger has no such item in sale limited");
        for (long early : new long[] {NOW - 3 * HOUR, NOW + 3 * HOUR}) {
            assertThat(LIMITED.forgery(placed("limited", "u", null, "a:1", early), NOW)).isNull();
        }
        for (long wrong : new long[] {NOW - 3 * HOUR - 1, NOW + 3 * HOUR + 1}) {
            assertThat(LIMITED.forgery(placed("limited", "u", null, "a:1", wrong), NOW))
                    .isEqualTo("not placed during sale limited");
        }
    }
}
