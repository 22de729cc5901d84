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
 * Buying, paying and returning. The cart records each purchase, payment and return before Rush is
 * called, and the call is retried until its outcome is known, even after a restart. All three
 * calls can be repeated; for a purchase the idempotency key makes that safe.
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

    /** Continues purchases, payments and returns that were open when the shop stopped. */
    void resume() {
        for (Cart cart : carts.all()) {
            if (cart.status() == Status.BUYING) {
                // The request may have been sent: only Rush knows.
                later.execute(() -> purchase(cart.key(), 1));
            } else if (cart.isPaidButOpen()) {
                later.execute(() -> confirm(cart.key(), 0));
            }
            if (cart.returning()) {
                later.execute(() -> giveBack(cart.key(), 0));
            }
        }
    }

    /**
     * Buys one unit. The key stands for the buyer's intention: a second click with the same key is
     * the same purchase. The outcome of the returned cart may still be unknown.
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
            // After an earlier attempt, which may still succeed, only a decision ends the purchase.
            if (outcome == Outcome.REFUSED || outcome == Outcome.INVALID && tries == 0) {
                carts.change(key, same -> same.refused(Rush.word(e)));
            } else {
                retry(e, tries, () -> purchase(key, tries + 1));
            }
        }
    }

    /** Records that the provider has received the money. May be called more than once. */
    void paid(String key, String payment) {
        if (carts.change(key, same -> same.paid(payment)) != null) {
            later.execute(() -> confirm(key, 0));
        }
    }

    /** Confirms the payment to Rush, or refunds it if the order can no longer be paid. */
    private void confirm(String key, int tries) {
        Cart cart = carts.get(key);
        if (!cart.isPaidButOpen()) {
            return;
        }
        try {
            rush.orders.confirmOrder(cart.order(), sale, cart.user(), null,
                    new Confirmation().paymentReference(cart.payment())
                            .amount(Catalogue.price(cart.sku())).currency(Catalogue.CURRENCY),
                    rush.as(PAYER, PAYER));
            carts.change(key, same -> same.as(Status.CONFIRMED));
        } catch (ApiException e) {
            if (Rush.outcome(e) != Outcome.REFUSED) {
                retry(e, tries, () -> confirm(key, tries + 1));
                return;
            }
            refund(carts.change(key, same -> same.as(switch (Rush.word(e)) {
                case "order-expired" -> Status.EXPIRED;
                case "order-returned" -> Status.RETURNED;
                case "rejected" -> Status.REJECTED;
                default -> Status.LOST;
            })));
        }
    }

    /**
     * Returns the purchase made under a key. If there was none, Rush refuses the key from now on,
     * so a buyer can also cancel a purchase whose outcome is unknown.
     */
    void giveBack(String key, int tries) {
        Cart cart = carts.change(key, same -> same.withReturn(true));
        try {
            OrderReturn answer = rush.orders.returnOrder(sale,
                    new ReturnRequest().idempotencyKey(key), null, null,
                    rush.as(cart.user()));
            switch (answer.getState()) {
                case RETURNED, VOID -> refund(carts.change(key,
                        same -> same.withReturn(false).as(Status.RETURNED)));
                // The return waits until the order is in PostgreSQL: poll for its result.
                default -> later.schedule(() -> giveBack(key, 0), 1, TimeUnit.SECONDS);
            }
        } catch (ApiException e) {
            if (Rush.outcome(e) == Outcome.UNKNOWN || Rush.outcome(e) == Outcome.RETRY) {
                retry(e, tries, () -> giveBack(key, tries + 1));
            } else {
                carts.change(key, same -> same.withReturn(false));
                LOG.log(Level.WARNING, "cart {0} could not be returned: {1}", key, Rush.word(e));
            }
        }
    }

    /** Refunds the payment of an order that has ended. */
    void refund(Cart cart) {
        if (cart.isRefundDue()) {
            provider.refund(cart.payment());
            carts.change(cart.key(), Cart::withRefund);
        }
    }

    private void retry(ApiException failure, int tries, Runnable work) {
        long pause = Rush.pauseMillis(failure, tries);
        LOG.log(Level.INFO, "retrying in {0} ms after: {1}", pause, failure.getMessage());
        later.schedule(work, pause, TimeUnit.MILLISECONDS);
    }

    /** Returns the cart's status for an order, or the fallback if this client does not know it. */
    static Status status(Order order, Status fallback) {
        return switch (order.getStatus()) {
            case ACCEPTED -> Status.ACCEPTED;
            case RESERVED -> Status.RESERVED;
            case CONFIRMED -> Status.CONFIRMED;
            case EXPIRED -> Status.EXPIRED;
            case RETURNED -> Status.RETURNED;
            case REJECTED -> Status.REJECTED;
            default -> fallback;
        };
    }
}
