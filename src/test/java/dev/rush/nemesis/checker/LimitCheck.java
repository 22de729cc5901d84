package dev.rush.nemesis.checker;

import dev.rush.nemesis.checker.Stored.Order;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Offer.Item;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** I4: no user holds more of an item than the limit, in the ledger or in Redis. */
final class LimitCheck implements Check {
    @Override
    public void check(Evidence evidence, Findings findings) {
        Map<String, List<Order>> orders = evidence.stored().bySale();
        for (Offer offer : evidence.byOffer().keySet()) {
            for (Item item : offer.items()) {
                if (item.limit() > 0) {
                    check(evidence, offer, item, orders.getOrDefault(offer.id(), List.of()),
                            findings);
                }
            }
        }
    }

    private static void check(Evidence evidence, Offer offer, Item item, List<Order> orders,
            Findings findings) {
        Map<String, Long> held = new HashMap<>();
        orders.stream().filter(Order::sold).forEach(
                order -> held.merge(order.user(), order.quantity(item.sku()), Long::sum));
        held.forEach((user, units) ->
                checkUnits("in the ledger", offer, item, user, units, findings));
        evidence.stored().taken.getOrDefault(offer.id(), Map.of()).forEach((name, units) -> {
            String user = name.substring(0, name.indexOf(' '));
            if (!name.endsWith(" " + item.sku())) {
                return;
            }
            if (!evidence.mayHaveLost(offer)) {
                checkUnits("in Redis", offer, item, user, units, findings);
            }
        });
    }

    private static void checkUnits(String where, Offer offer, Item item, String user, long units,
            Findings findings) {
        if (units > item.limit()) {
            findings.add("I4: a user holds more than the limit " + where, 0, units - item.limit(),
                    offer.id() + " " + item.sku() + " " + user + ": " + units + " of "
                    + item.limit());
        }
    }
}
