package com.example.shop;

import com.example.shop.Cart.Status;
import com.example.shop.Rush.Outcome;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import rush.client.ApiException;
import rush.client.model.Confirmation;
import rush.client.model.Order;
import rush.client.model.OrderReturn;
import rush.client.model.Purchase;
import rush.client.model.PurchaseLine;
import rush.client.model.ReturnRequest;

/**
 * Buying, paying and giving back. Each step is kept in the cart before Rush is asked, and asked
 * again until an answer tells what happened, also after a restart of the shop: all three calls may
 * be repeated, a purchase thanks to its key.
 */
final class Checkout {
    private static final Logger LOG = System.getLogger("shop");
    private static final String PAYER = "payer";

    private final String sale;
    private final Carts carts;
    private final Rush rush;
    private final Provider provider;
    private final ScheduledExecutorService later = Executors.newScheduledThreadPool(4, work -> {
        Thread thread = new Thread(work, "checkout");
        thread.setDaemon(true);
        return thread;
    });

    Checkout(String sale, Carts carts, Rush rush, Provider provider) {
        this.sale = sale;
        this.carts = carts;
        this.rush = rush;
        this.provider = provider;
    }

    /** Goes on with what an earlier start of the shop has left open. */
    void resume() {
        for (Cart cart : carts.all()) {
            if (cart.status() == Status.BUYING) {
                // It may have been sent: only Rush knows.
                later.execute(() -> purchase(cart.key(), 1));
            } else if (cart.isPaidButOpen()) {
                later.execute(() -> confirm(cart.key(), 0));
            }
        }
    }

    /**
     * Buys one unit. The key is the buyer's intention: a second click with it is the same purchase.
     * The answer may be a cart whose outcome is not known yet.
     */
    Cart buy(Cart cart) {
        if (carts.add(cart)) {
            purchase(cart.key(), 0);
        }
        return carts.get(cart.key());
    }

    private void purchase(String key, int tries) {
        Cart cart = carts.get(key);
        if (cart.status() != Status.BUYING) {
            return;
        }
        try {
            Order order = rush.sales.purchase(sale, new Purchase().items(
                    List.of(new PurchaseLine().sku(cart.sku()))), key, rush.as(cart.user()));
            carts.change(key, same -> same.bought(order.getOrder(), order.getPayBy(),
                    status(order, Status.ACCEPTED)));
        } catch (ApiException e) {
            Outcome outcome = Rush.outcome(e);
            // An earlier try may still be under way: then only a decision ends the purchase.
            if (outcome == Outcome.REFUSED || outcome == Outcome.WRONG && tries == 0) {
                carts.change(key, same -> same.refused(Rush.word(e)));
            } else {
                again(e, tries, () -> purchase(key, tries + 1));
            }
        }
    }

    /** The provider has taken the money for a cart. It may say so more than once. */
    void paid(String key, String payment) {
        if (carts.change(key, same -> same.paid(payment)) != null) {
            later.execute(() -> confirm(key, 0));
        }
    }

    /** Tells Rush of the payment. An order that cannot be paid any more is refunded. */
    private void confirm(String key, int tries) {
        Cart cart = carts.get(key);
        if (!cart.isPaidButOpen()) {
            return;
        }
        try {
            rush.orders.confirmOrder(cart.order(), sale, cart.user(),
                    new Confirmation().paymentReference(cart.payment())
                            .amount(Catalogue.price(cart.sku())).currency(Catalogue.CURRENCY),
                    rush.as(PAYER, PAYER));
            carts.change(key, same -> same.as(Status.CONFIRMED));
        } catch (ApiException e) {
            if (Rush.outcome(e) != Outcome.REFUSED) {
                again(e, tries, () -> confirm(key, tries + 1));
                return;
            }
            provider.refund(cart.payment());
            carts.change(key, same -> same.withRefund().as(switch (Rush.word(e)) {
                case "order-expired" -> Status.EXPIRED;
                case "order-returned" -> Status.RETURNED;
                case "rejected" -> Status.REJECTED;
                default -> Status.LOST;
            }));
        }
    }

    /**
     * Gives back what was bought under a key. Where nothing was, the key never buys from now on:
     * so a buyer can also give up a purchase whose outcome nobody knows.
     */
    void giveBack(String key, int tries) {
        Cart cart = carts.get(key);
        try {
            OrderReturn answer = rush.orders.returnOrder(sale,
                    new ReturnRequest().idempotencyKey(key), null, rush.as(cart.user()));
            switch (answer.getState()) {
                case RETURNED, VOID -> refund(carts.change(key, same -> same.as(Status.RETURNED)));
                // It waits for the order to reach PostgreSQL, and ends by itself.
                default -> later.schedule(() -> giveBack(key, 0), 1, TimeUnit.SECONDS);
            }
        } catch (ApiException e) {
            if (Rush.outcome(e) == Outcome.UNKNOWN || Rush.outcome(e) == Outcome.AGAIN) {
                again(e, tries, () -> giveBack(key, tries + 1));
            } else {
                LOG.log(Level.WARNING, "cart {0} is not given back: {1}", key, Rush.word(e));
            }
        }
    }

    private void refund(Cart cart) {
        if (cart.payment() != null && !cart.refunded()) {
            provider.refund(cart.payment());
            carts.change(cart.key(), Cart::withRefund);
        }
    }

    private void again(ApiException failure, int tries, Runnable work) {
        long pause = Rush.pauseMillis(failure, tries);
        LOG.log(Level.INFO, "once more in {0} ms, after: {1}", pause, failure.getMessage());
        later.schedule(work, pause, TimeUnit.MILLISECONDS);
    }

    /** The status of an order as a cart has it, or another one for a word that is not known. */
    static Status status(Order order, Status otherwise) {
        return switch (order.getStatus()) {
            case ACCEPTED -> Status.ACCEPTED;
            case RESERVED -> Status.RESERVED;
            case CONFIRMED -> Status.CONFIRMED;
            case EXPIRED -> Status.EXPIRED;
            case RETURNED -> Status.RETURNED;
            case REJECTED -> Status.REJECTED;
            default -> otherwise;
        };
    }
}
