package dev.rush.nemesis.checker;

import dev.rush.nemesis.Layout;
import dev.rush.nemesis.checker.Stored.Order;
import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Offer.Item;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import java.util.List;
import java.util.Map;

/**
 * I1: no item is confirmed beyond its total. I2: unless Redis lost something, none is even
 * accepted beyond it, so that the ledger rejects nothing. I3: in Redis, read at one instant, left
 * and ordered are the total.
 */
final class StockCheck implements Check {
    @Override
    public void judge(Evidence evidence, Findings findings) {
        Map<String, List<Order>> orders = evidence.stored().bySale();
        evidence.byOffer().forEach((offer, operations) -> {
            List<Order> sold = orders.getOrDefault(offer.id(), List.of());
            for (Item item : offer.items()) {
                judge(evidence, offer, item, sold, findings);
            }
            if (!evidence.mayHaveLost(offer)) {
                judgeAccepted(evidence, offer, operations, sold, findings);
            }
        });
        evidence.operations().stream()
                .filter(one -> one.kind() == Kind.BOOKS && one.outcome() == Outcome.OK
                        && one.number() != 0)
                .filter(one -> !evidence.faults().mayHaveLost(
                        Layout.partitions(one.offer()), 0, one.to()))
                .forEach(one -> findings.add("I3: left and ordered in Redis are not the total",
                        one.from(), 1, one));
    }

    private static void judge(Evidence evidence, Offer offer, Item item, List<Order> orders,
            Findings findings) {
        long sold = orders.stream().filter(Order::sold).mapToLong(one -> one.of(item.sku())).sum();
        Stored.Item row = evidence.stored().items.get(Stored.item(offer.id(), item.sku()));
        if (row == null) {
            return; // It was never prepared.
        }
        if (sold > row.total()) {
            findings.add("I1: confirmed and reserved beyond the total", 0, sold - row.total(),
                    offer.id() + " " + item.sku() + ": " + sold + " of " + row.total());
        }
        if (sold != row.sold()) {
            findings.add("I1: the ledger's count of what is sold is not what its orders say", 0,
                    Math.abs(sold - row.sold()), offer.id() + " " + item.sku() + ": orders "
                    + sold + ", counted " + row.sold());
        }
    }

    private static void judgeAccepted(Evidence evidence, Offer offer, List<Operation> operations,
            List<Order> orders, Findings findings) {
        orders.stream().filter(one -> one.status().equals("rejected")).forEach(one -> findings.add(
                "I2: the ledger rejected an order though Redis lost nothing", 0, 1, one));
        for (Item item : offer.items()) {
            Stored.Item row = evidence.stored().items.get(Stored.item(offer.id(), item.sku()));
            long accepted = evidence.firstAnswers().values().stream()
                    .filter(one -> one.offer().equals(offer))
                    .filter(one -> stillTaken(evidence, one))
                    .mapToLong(one -> one.cart().of(item.sku())).sum();
            if (row != null && accepted > row.total()) {
                findings.add("I2: accepted beyond the total", operations.get(0).from(),
                        accepted - row.total(), offer.id() + " " + item.sku() + ": " + accepted
                        + " of " + row.total());
            }
        }
    }

    private static boolean stillTaken(Evidence evidence, Operation purchase) {
        Order order = evidence.stored().orders.get(purchase.order());
        return order == null || order.sold() || order.status().equals("rejected");
    }
}
