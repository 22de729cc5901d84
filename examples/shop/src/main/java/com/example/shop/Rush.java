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

/** The generated client, tokens of those who call, and what its failures mean. */
final class Rush {
    /** Longer than Rush takes at most (rush.deadline, rush.ledger.deadline). */
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long PAUSE_MAX_MILLIS = 10_000;

    final SalesApi sales;
    final OrdersApi orders;
    final EventsApi events;
    private final Tokens tokens;

    /** What a call without success means; see "Retry by the answer" in Rush's guide for shops. */
    enum Outcome {
        /** Rush has decided. */
        REFUSED,
        /** Nothing happened by this call; it may be made again after a while. */
        AGAIN,
        /** Nothing happened by this call, and the same call will not do better. */
        WRONG,
        /** Nobody knows: the same call, with the same key, until an answer tells. */
        UNKNOWN
    }

    Rush(URI address, Tokens tokens) {
        this.tokens = tokens;
        ApiClient client = new ApiClient();
        client.updateBaseUri(address.toString());
        client.setConnectTimeout(PATIENCE).setReadTimeout(PATIENCE);
        sales = new SalesApi(client);
        orders = new OrdersApi(client);
        events = new EventsApi(client);
    }

    /** Who calls: the buyer, never the shop for its buyers, since limits count by user. */
    Map<String, String> as(String user, String... roles) {
        return Map.of("Authorization", "Bearer " + tokens.of(user, roles));
    }

    static Outcome outcome(ApiException failure) {
        return switch (failure.getCode()) {
            case 404, 409, 422 -> Outcome.REFUSED;
            case 429 -> Outcome.AGAIN;
            // A proxy in between may answer 503 too; then it is not known what Rush has done.
            case 503 -> word(failure).isEmpty() ? Outcome.UNKNOWN : Outcome.AGAIN;
            case 400, 401, 403, 408, 413, 415 -> Outcome.WRONG;
            // No answer at all has code 0.
            default -> Outcome.UNKNOWN;
        };
    }

    /** The word at the end of the problem's type, such as sold-out; empty if it is no problem. */
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
     * How long to wait before the next try: what Retry-After says, or longer after each try; and a
     * random time on top, since a crowd that waits exactly a second comes back as a crowd.
     */
    static long pauseMillis(ApiException failure, int tries) {
        long least = failure.getResponseHeaders() == null ? 0 : failure.getResponseHeaders()
                .firstValueAsLong("Retry-After").orElse(0) * 1_000;
        long pause = Math.max(least, Math.min(PAUSE_MAX_MILLIS, 200L << Math.min(tries, 10)));
        return pause + ThreadLocalRandom.current().nextLong(pause);
    }
}
