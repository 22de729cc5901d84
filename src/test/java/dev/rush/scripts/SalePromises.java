package dev.rush.scripts;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What the scripts of one sale promise, in the words of their replies: small, obvious and written
 * independently. Times are those of Redis's replies.
 */
final class SalePromises extends Window {
    private final Map<String, Item> items = new HashMap<>();
    /** What was accepted under "user key"; a null order is a tombstone. */
    private final Map<String, Order> byKey = new HashMap<>();
    private final TreeMap<String, Order> byOrder = new TreeMap<>(Collections.reverseOrder());
    private final Map<String, Long> guardedUntil = new HashMap<>();
    private final List<SaleGate.Accepted> waiting = new ArrayList<>();
    private SaleTerms terms;
    private boolean isLost;
    private long sequence;

    SalePromises() {
        super("unknown-sale");
    }

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
        private boolean hasExpired;

        Order(Purchase purchase, String answer) {
            this.purchase = purchase;
            this.answer = answer;
        }
    }

    void prepare(SaleTerms prepared) {
        terms = prepared;
        open(prepared.opensAt(), prepared.closesAt());
        prepared.items().forEach((sku, item) -> items.put(sku, new Item(item)));
    }

    void loseStock() {
        isLost = true;
    }

    long sequence() {
        return sequence;
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
        if (wanted.deadline() == Deadline.BROKEN) {
            return Reply.DEFECT;
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
        String windowRefusal = refusal(now);
        if (windowRefusal != null) {
            return windowRefusal;
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
                return "limit-reached item " + line.getKey() + " " + item.limit + " " + taken;
            }
        }
        long orders = ordersOf(wanted.user()).count();
        if (orders >= terms.ordersPerUser()) {
            return "limit-reached orders " + terms.ordersPerUser() + " " + orders;
        }
        long holds = ordersOf(wanted.user()).filter(order -> order.hasExpired).count();
        if (terms.unpaidHolds() > 0 && holds >= terms.unpaidHolds()) {
            return "limit-reached holds " + terms.unpaidHolds() + " " + holds;
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

    private Stream<Order> ordersOf(String user) {
        return byOrder.values().stream().filter(order -> order.purchase.user().equals(user));
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

    String credit(String user, String id, boolean expired) {
        if (terms == null) {
            return "unknown-sale";
        }
        Order order = byOrder.get(id);
        if (order == null || !order.purchase.user().equals(user)) {
            return "unknown-order";
        }
        if (order.isCredited) {
            return "repeated";
        }
        if (isLost) {
            return "unknown-order";
        }
        order.isCredited = true;
        order.hasExpired = expired;
        change();
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
        if (item.total != total) {
            change();
        }
        item.total = total;
        return "done";
    }

    SaleGate.Found record(String user) {
        return new SaleGate.Found(terms != null && !isLost, ordersOf(user)
                .map(order -> order.purchase.order() + (order.hasExpired ? " expired"
                        : order.isCredited ? " credited" : " accepted")
                        + (isWaiting(order.purchase.order()) ? " waits" : "")).toList(),
                byKey.keySet().stream().filter(key -> byKey.get(key) == null)
                        .filter(key -> key.startsWith(user + " "))
                        .map(key -> key.substring(user.length() + 1)).sorted().toList());
    }

    /** The user of an order that waits; else null. */
    String search(String id) {
        return isWaiting(id) ? byOrder.get(id).purchase.user() : null;
    }

    private boolean isWaiting(String id) {
        return waiting.stream().anyMatch(each -> each.order().equals(id));
    }

    long waiting() {
        return waiting.size();
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
        return drained;
    }
}
