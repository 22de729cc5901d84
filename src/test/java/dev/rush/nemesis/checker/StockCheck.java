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
 * I1: no item is confirmed beyond its total. I2: unless Redis lost writes, no item is even accepted
 * beyond its total, so the ledger rejects nothing. I3: in Redis, read at one instant,
 * {@code left + ordered} is the total.
 */
final class StockCheck implements Check {
    @Override
    public void check(Evidence evidence, Findings findings) {
        Map<String, List<Order>> orders = evidence.stored().bySale();
        evidence.byOffer().forEach((offer, operations) -> {
            List<Order> sold = orders.getOrDefault(offer.id(), List.of());
            for (Item item : offer.items()) {
                check(evidence, offer, item, sold, findings);
            }
            if (!evidence.mayHaveLost(offer)) {
                checkAccepted(evidence, offer, operations, sold, findings);
            }
        });
        evidence.operations().stream()
                .filter(operation -> operation.kind() == Kind.BOOKS
                        && operation.outcome() == Outcome.OK && operation.number() != 0)
                .filter(books -> !evidence.faults().mayHaveLost(
                        Layout.partitions(books.offer()), 0, books.to()))
                .forEach(books -> findings.add("I3: left + ordered in Redis is not the total",
                        books.from(), 1, books));
    }

    private static void check(Evidence evidence, Offer offer, Item item, List<Order> orders,
            Findings findings) {
        long sold = orders.stream().filter(Order::sold)
                .mapToLong(order -> order.quantity(item.sku())).sum();
        Stored.Item row = evidence.stored().items.get(Stored.item(offer.id(), item.sku()));
        if (row == null) {
            return; // The sale was never prepared.
        }
        if (sold > row.total()) {
            findings.add("I1: more units are confirmed and reserved than the total", 0,
                    sold - row.total(),
                    offer.id() + " " + item.sku() + ": " + sold + " of " + row.total());
        }
        if (sold != row.sold()) {
            findings.add("I1: the ledger's count of sold units is not the sum of its orders", 0,
                    Math.abs(sold - row.sold()), offer.id() + " " + item.sku() + ": orders "
                    + sold + ", counted " + row.sold());
        }
    }

    private static void checkAccepted(Evidence evidence, Offer offer, List<Operation> operations,
            List<Order> orders, Findings findings) {
        orders.stream().filter(order -> order.status().equals("rejected"))
                .forEach(order -> findings.add(
                        "I2: the ledger rejected an order although Redis lost nothing",
                        0, 1, order));
        for (Item item : offer.items()) {
            Stored.Item row = evidence.stored().items.get(Stored.item(offer.id(), item.sku()));
            long accepted = evidence.firstAnswers().values().stream()
                    .filter(answer -> answer.offer().equals(offer))
                    .filter(answer -> isStillTaken(evidence, answer))
                    .mapToLong(answer -> answer.cart().quantity(item.sku())).sum();
            if (row != null && accepted > row.total()) {
                findings.add("I2: more units were accepted than the total",
                        operations.get(0).from(), accepted - row.total(), offer.id() + " "
                        + item.sku() + ": " + accepted + " of " + row.total());
            }
        }
    }

    private static boolean isStillTaken(Evidence evidence, Operation purchase) {
        Order order = evidence.stored().orders.get(purchase.order());
        return order == null || order.sold() || order.status().equals("rejected");
    }
}
