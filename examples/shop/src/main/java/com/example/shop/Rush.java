package com.example.shop;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import rush.client.ApiClient;
import rush.client.ApiException;
import rush.client.api.EventsApi;
import rush.client.api.OrdersApi;
import rush.client.api.SalesApi;
import rush.client.model.Problem;

/** The generated client with a token for each caller, and the classification of its failures. */
final class Rush {
    /** Longer than the longest call (rush.deadline, rush.ledger.deadline). */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long PAUSE_MAX_MILLIS = 10_000;

    final SalesApi sales;
    final OrdersApi orders;
    final EventsApi events;
    private final Tokens tokens;

    /** The meaning of a failed call; see "Retry by the answer" in Rush's guide for shops. */
    enum Outcome {
        /** Rush has decided against it: final. */
        REFUSED,
        /** The call had no effect; retry it later. */
        RETRY,
        /** The call had no effect, and repeating it would fail again. */
        INVALID,
        /** The call may have had an effect; retry it, with the same key, until an answer tells. */
        UNKNOWN
    }

    Rush(URI address, Tokens tokens) {
        this.tokens = tokens;
        ApiClient client = new ApiClient();
        client.updateBaseUri(address.toString());
        client.setConnectTimeout(TIMEOUT).setReadTimeout(TIMEOUT);
        sales = new SalesApi(client);
        orders = new OrdersApi(client);
        events = new EventsApi(client);
    }

    /** Headers that identify the caller: the buyer, not the shop, as limits apply per user. */
    Map<String, String> as(String user, String... roles) {
        return Map.of("Authorization", "Bearer " + tokens.of(user, roles));
    }

    static Outcome outcome(ApiException failure) {
        return switch (failure.getCode()) {
            case 404, 409, 422 -> Outcome.REFUSED;
            case 429 -> Outcome.RETRY;
            // A proxy may answer 503 too; then the outcome is unknown.
            case 503 -> word(failure).isEmpty() ? Outcome.UNKNOWN : Outcome.RETRY;
            case 400, 401, 403, 408, 413, 415 -> Outcome.INVALID;
            // The client reports code 0 without an answer.
            default -> Outcome.UNKNOWN;
        };
    }

    /** Returns the last part of the problem's type, such as sold-out; empty without a problem. */
    static String word(ApiException failure) {
        String body = failure.getResponseBody();
        try {
            String type = body == null ? "" : Json.read(
                    body.getBytes(StandardCharsets.UTF_8), Problem.class).getType();
            return type != null && type.startsWith("/problems/")
                    ? type.substring("/problems/".length()) : "";
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Returns the pause before the next attempt: Retry-After or exponential backoff, whichever is
     * longer, with jitter so that waiting clients do not return all at once.
     */
    static long pauseMillis(ApiException failure, int tries) {
        long min = failure.getResponseHeaders() == null ? 0 : failure.getResponseHeaders()
                .firstValueAsLong("Retry-After").orElse(0) * 1_000;
        long pause = Math.max(min, Math.min(PAUSE_MAX_MILLIS, 200L << Math.min(tries, 10)));
        return pause + ThreadLocalRandom.current().nextLong(pause);
    }
}
