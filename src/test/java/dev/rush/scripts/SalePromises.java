package dev.rush.scripts;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the scripts of one sale promise, in the words of their replies: small, obvious and written
 * apart from them. Time is what Redis's own replies say.
 */
final class SalePromises {
    private final Map<String, Item> items = new HashMap<>();
    /** What was accepted under "user key"; a null order is a tombstone. */
    private final Map<String, Order> byKey = new HashMap<>();
    private final TreeMap<String, Order> byOrder = new TreeMap<>(Collections.reverseOrder());
    private final Map<String, Long> guardedUntil = new HashMap<>();
    private final List<SaleGate.Accepted> waiting = new ArrayList<>();
    private SaleTerms terms;
    private boolean paused;
    private boolean closed;
    private boolean isLost;
    private long sequence;
    private long changes;

    private static final class Item {
        private final long limit;
        private final Map<String, Long> taken = new HashMap<>();
        private long total;
        private long ordered;
        private long version;
        private long credited;

        Item(SaleTerms.Item item) {
            limit = item.limit();
            total = item.total();
        }
    }

    private static final class Order {
        private final Purchase purchase;
        private final String answer;
        private boolean isCredited;
        private boolean isInLedger;

        Order(Purchase purchase, String answer) {
            this.purchase = purchase;
            this.answer = answer;
        }
    }

    void prepare(SaleTerms prepared) {
        terms = prepared;
        prepared.items().forEach((sku, item) -> items.put(sku, new Item(item)));
    }

    void loseStock() {
        isLost = true;
    }

    long sequence() {
        return sequence;
    }

    /** How often anything but a purchase has changed the sale. */
    long changes() {
        return changes;
    }

    long live() {
        return byKey.size();
    }

    String purchase(Purchase wanted, long backlog, long now) {
        String userKey = wanted.user() + " " + wanted.key();
        if (byKey.containsKey(userKey)) {
            Order first = byKey.get(userKey);
            if (first == null) {
                return "order-returned";
            }
            return first.purchase.units().equals(wanted.units())
                    ? "replayed " + first.answer : "key-reused";
        }
        if (now > wanted.deadline()) {
            return "unavailable";
        }
        String refusal = refusal(wanted, backlog, now);
        return refusal == null ? accept(wanted, userKey, backlog, now) : refusal;
    }

    private String refusal(Purchase wanted, long backlog, long now) {
        if (terms == null) {
            return "unknown-sale";
        }
        if (isLost) {
            return "not-loaded";
        }
        for (String sku : wanted.units().keySet()) {
            if (!items.containsKey(sku)) {
                return "unknown-item " + sku;
            }
        }
        if (paused) {
            return "paused";
        }
        if (now < terms.opensAt()) {
            return "not-open " + terms.opensAt();
        }
        if (isClosed(now)) {
            return "closed";
        }
        if (guardedUntil.getOrDefault(guarded(wanted), 0L) > now) {
            return "duplicate-submission";
        }
        String refusal = stockRefusal(wanted);
        return refusal == null && backlog > 0 && waiting.size() >= backlog
                ? "backlogged" : refusal;
    }

    private String stockRefusal(Purchase wanted) {
        for (Map.Entry<String, Long> line : wanted.units().entrySet()) {
            Item item = items.get(line.getKey());
            long taken = item.taken.getOrDefault(wanted.user(), 0L);
            if (item.limit > 0 && taken + line.getValue() > item.limit) {
                return "limit-reached " + line.getKey() + " " + item.limit + " " + taken;
            }
        }
        for (String sku : wanted.units().keySet()) {
            if (items.get(sku).ordered >= items.get(sku).total) {
                return "sold-out " + sku;
            }
        }
        for (Map.Entry<String, Long> line : wanted.units().entrySet()) {
            long left = items.get(line.getKey()).total - items.get(line.getKey()).ordered;
            if (line.getValue() > left) {
                return "insufficient-stock " + line.getKey() + " " + left;
            }
        }
        return null;
    }

    private String accept(Purchase wanted, String userKey, long backlog, long now) {
        List<String> lefts = new ArrayList<>();
        wanted.units().forEach((sku, quantity) -> {
            Item item = items.get(sku);
            item.ordered += quantity;
            item.taken.merge(wanted.user(), quantity, Long::sum);
            lefts.add(Long.toString(item.total - item.ordered));
        });
        long payBy = terms.paymentWindow() == 0 ? 0 : now + terms.paymentWindow();
        String left = String.join(",", lefts);
        Order order = new Order(wanted, String.join(" ", wanted.order(), Long.toString(now),
                Long.toString(payBy), wanted.lines(), left));
        byKey.put(userKey, order);
        byOrder.put(wanted.order(), order);
        if (!terms.guard().equals("none")) {
            guardedUntil.put(guarded(wanted), now + terms.guardWindow());
        }
        sequence++;
        if (backlog > 0) {
            waiting.add(new SaleGate.Accepted(wanted.order(), wanted.user(), wanted.key(),
                    wanted.lines(), now, payBy, sequence));
        }
        return "accepted " + now + " " + payBy + " " + left;
    }

    private String guarded(Purchase wanted) {
        return terms.guard().equals("cart")
                ? wanted.user() + " " + new TreeMap<>(wanted.units()) : wanted.user();
    }

    private boolean isClosed(long now) {
        return closed || terms.closesAt() > 0 && now >= terms.closesAt();
    }

    String credit(String user, String key, String id) {
        if (terms == null) {
            return "unknown-sale";
        }
        Order order = byKey.get(user + " " + key);
        if (order == null || !order.purchase.order().equals(id)) {
            return "unknown-order";
        }
        if (order.isCredited) {
            return "repeated";
        }
        if (isLost) {
            return "unknown-order";
        }
        order.isCredited = true;
        changes++;
        order.purchase.units().forEach((sku, quantity) -> {
            Item item = items.get(sku);
            item.ordered -= quantity;
            item.credited += quantity;
            if (terms.returnsLimit()) {
                item.taken.merge(user, -quantity, Long::sum);
            }
        });
        return "credited";
    }

    String tombstone(String user, String key) {
        if (terms == null || isLost) {
            return "not-loaded";
        }
        Order order = byKey.get(user + " " + key);
        if (order != null) {
            return "accepted " + order.purchase.order();
        }
        byKey.put(user + " " + key, null);
        return "order-returned";
    }

    String total(String sku, long total, long version) {
        if (terms == null) {
            return "unknown-sale";
        }
        if (isLost) {
            return "not-loaded";
        }
        Item item = items.get(sku);
        if (item == null) {
            return "unknown-item " + sku;
        }
        if (version > 0 && item.version >= version) {
            return "overtaken";
        }
        if (total < item.ordered) {
            return "below-ordered " + sku + " " + item.ordered + " " + (item.total - total);
        }
        item.version = Math.max(item.version, version);
        changes += item.total == total ? 0 : 1;
        item.total = total;
        return "done";
    }

    /** Steers at an instant that lies clearly before or after the end of the sale. */
    String steer(String action, long now) {
        if (terms == null) {
            return "unknown-sale";
        }
        if (action.equals("close")) {
            changes += closed ? 0 : 1;
            closed = true;
            return "done";
        }
        if (isClosed(now)) {
            return "closed";
        }
        changes += paused == action.equals("pause") ? 0 : 1;
        paused = action.equals("pause");
        return "done";
    }

    /** Whether the sale ends at an instant between these, so that nobody can say what it is. */
    boolean endsBetween(long from, long to) {
        return terms != null && terms.closesAt() >= from && terms.closesAt() <= to;
    }

    String find(String id) {
        Order order = byOrder.get(id);
        if (order != null && !order.isInLedger) {
            return "accepted " + order.purchase.user() + " " + order.purchase.key();
        }
        return terms == null || isLost ? "not-loaded" : "unknown-order";
    }

    List<String> orders(String user, int most) {
        return byOrder.values().stream()
                .filter(order -> !order.isInLedger && order.purchase.user().equals(user))
                .limit(most).map(order -> order.purchase.order()
                        + (order.isCredited ? " credited" : " accepted")).toList();
    }

    Map<String, String> counters() {
        Map<String, String> counters = new LinkedHashMap<>();
        if (!isLost) {
            items.forEach((sku, item) -> counters.put(sku,
                    item.ordered + "/" + item.total + " " + item.credited));
        }
        return counters;
    }

    List<SaleGate.Accepted> drain() {
        List<SaleGate.Accepted> drained = List.copyOf(waiting);
        waiting.clear();
        drained.forEach(each -> byOrder.get(each.order()).isInLedger = true);
        return drained;
    }
}
