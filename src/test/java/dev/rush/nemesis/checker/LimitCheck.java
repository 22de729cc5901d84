package dev.rush.nemesis.checker;

import dev.rush.nemesis.checker.Stored.Order;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Offer.Item;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** I4: no user has more of an item than the limit, in the ledger and in Redis. */
final class LimitCheck implements Check {
    @Override
    public void judge(Evidence evidence, Findings findings) {
        Map<String, List<Order>> orders = evidence.stored().bySale();
        for (Offer offer : evidence.byOffer().keySet()) {
            for (Item item : offer.items()) {
                if (item.limit() > 0) {
                    judge(evidence, offer, item, orders.getOrDefault(offer.id(), List.of()),
                            findings);
                }
            }
        }
    }

    private static void judge(Evidence evidence, Offer offer, Item item, List<Order> orders,
            Findings findings) {
        Map<String, Long> had = new HashMap<>();
        orders.stream().filter(Order::sold).forEach(
                order -> had.merge(order.user(), order.of(item.sku()), Long::sum));
        had.forEach((user, units) -> beyond("in the ledger", offer, item, user, units, findings));
        evidence.stored().taken.getOrDefault(offer.id(), Map.of()).forEach((name, units) -> {
            String user = name.substring(0, name.indexOf(' '));
            if (!name.endsWith(" " + item.sku())) {
                return;
            }
            if (!evidence.mayHaveLost(offer)) {
                beyond("in Redis", offer, item, user, units, findings);
            }
        });
    }

    private static void beyond(String where, Offer offer, Item item, String user, long units,
            Findings findings) {
        if (units > item.limit()) {
            findings.add("I4: a user has more than the limit " + where, 0, units - item.limit(),
                    offer.id() + " " + item.sku() + " " + user + ": " + units + " of "
                    + item.limit());
        }
    }
}
