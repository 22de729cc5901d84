package com.example.shop;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import rush.client.ApiException;
import rush.client.model.WebhookRequest;

/** A shop that sells through Rush. README.md says how to start it. */
public final class Shop {
    private static final Logger LOG = System.getLogger("shop");
    private static final String OPERATOR = "operator";

    private Shop() {
    }

    /** Starts the shop, which runs until it is killed. */
    public static void main(String[] args)
            throws IOException, GeneralSecurityException, InterruptedException {
        Settings settings = Settings.ofEnvironment();
        Carts carts = new Carts(settings.data().resolve("carts"));
        Tokens tokens = new Tokens(settings.data().resolve("signing-key"), settings.url());
        Rush rush = new Rush(settings.rush(), tokens);
        Provider provider = new Provider(settings.url());
        Checkout checkout = new Checkout(settings.sale(), carts, rush, provider);
        Webhook webhook = new Webhook(settings.data().resolve("webhook-secrets"), carts,
                checkout::refund);

        // First, because Rush fetches the keys of our tokens from here.
        new Web(settings.sale(), carts, rush, tokens, checkout, webhook, provider)
                .listen(settings.port());
        prepare(settings, rush, webhook);
        checkout.resume();
        LOG.log(Level.INFO, "open: " + settings.url());
    }

    /** Prepares sale and webhook as an operator. Retries until it succeeds: both are idempotent. */
    private static void prepare(Settings settings, Rush rush, Webhook webhook)
            throws InterruptedException {
        String logged = "";
        for (int tries = 0; ; tries++) {
            try {
                Map<String, String> operator = rush.as("shop", OPERATOR);
                rush.sales.prepareSale(settings.sale(),
                        Catalogue.sale(settings.paymentWindow()), null, operator);
                // After a change of the secret, Rush signs with both for a day.
                rush.events.putWebhook("shop", new WebhookRequest()
                        .url(URI.create(settings.url() + "/rush-events"))
                        .types(List.of("dev.rush.order.*")).secret(webhook.secret()), null,
                        operator);
                return;
            } catch (ApiException e) {
                if (Rush.outcome(e) == Rush.Outcome.REFUSED) {
                    throw new IllegalStateException(e.getMessage());
                }
                String cause = e.getCode() == 0 ? "no answer" : e.getMessage();
                if (!cause.equals(logged)) {
                    LOG.log(Level.INFO, "waiting for Rush at {0}: {1}", settings.rush(), cause);
                    logged = cause;
                }
                Thread.sleep(Rush.pauseMillis(e, Math.min(tries, 2)));
            }
        }
    }
}
