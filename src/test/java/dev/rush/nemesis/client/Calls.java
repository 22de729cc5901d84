package dev.rush.nemesis.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.nemesis.client.Offer.Cart;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/** Calls the service, each time through a random pod, and records each call with its answer. */
public final class Calls {
    private static final String REFUSED = "connection-refused";
    private static final String LOST = "connection-lost";

    private final History history;
    private final Supplier<Api> pods;
    private final Map<String, String> words = new ConcurrentHashMap<>();

    /**
     * Creates the calls of one run.
     *
     * @param pods supplies a client of some pod
     */
    public Calls(History history, Supplier<Api> pods) {
        this.history = history;
        this.pods = pods;
    }

    History history() {
        return history;
    }

    /** A call before its answer is known. */
    private record Request(Kind kind, Offer offer, int user, String key, Cart cart, UUID order,
            long number, String sku) {
    }

    Operation purchase(Offer sale, int user, String key, Cart cart) {
        return send(new Request(Kind.PURCHASE, sale, user, key, cart, null, 0, null),
                api -> keyed(api, key).post(sale.path() + "/purchases", cart.json()));
    }

    Operation grab(Offer rain, int user, String key) {
        return send(new Request(Kind.GRAB, rain, user, key, null, null, 0, null),
                api -> keyed(api, key).post(rain.path() + "/grabs"));
    }

    Operation returnOrder(Offer sale, int user, UUID order) {
        return send(new Request(Kind.RETURN, sale, user, null, null, order, 0, null),
                api -> api.post(sale.path() + "/returns", "{\"order\":\"" + order + "\"}"));
    }

    Operation returnOrder(Offer sale, int user, String key) {
        return send(new Request(Kind.RETURN, sale, user, key, null, null, 0, null),
                api -> api.post(sale.path() + "/returns",
                        "{\"idempotencyKey\":\"" + key + "\"}"));
    }

    Operation confirm(Offer sale, int user, UUID order) {
        return send(new Request(Kind.CONFIRM, sale, user, null, null, order, 0, null),
                api -> api.post(sale.path() + "/orders/" + order + "/confirm"));
    }

    Operation order(Offer sale, int user, UUID order) {
        return send(new Request(Kind.ORDER, sale, user, null, null, order, 0, null),
                api -> api.get(sale.path() + "/orders/" + order));
    }

    Operation view(Offer offer, int user) {
        return send(new Request(Kind.VIEW, offer, user, null, null, null, 0, null),
                api -> api.get(offer.path()));
    }

    Operation prepare(Offer offer) {
        return send(new Request(Kind.PREPARE, offer, -1, null, null, null, 0, null),
                api -> api.asOperator().put(offer.path(), offer.definition()));
    }

    Operation control(Kind kind, Offer offer) {
        return send(new Request(kind, offer, -1, null, null, null, 0, null),
                api -> api.asOperator().post(offer.path() + "/" + kind.name().toLowerCase()));
    }

    Operation total(Offer sale, String sku, long total) {
        return send(new Request(Kind.TOTAL, sale, -1, null, null, null, total, sku),
                api -> api.asOperator().patch(
                        sale.path() + "/items/" + sku, "{\"total\":" + total + "}"));
    }

    Operation books(Offer offer) {
        return send(new Request(Kind.BOOKS, offer, -1, null, null, null, 0, null),
                api -> api.asOperator().get(offer.path() + "/books"));
    }

    /** Repairs a sale. */
    public Operation repair(Offer sale) {
        return send(new Request(Kind.REPAIR, sale, -1, null, null, null, 0, null),
                api -> api.asOperator().post(sale.path() + "/books/repair"));
    }

    private static Api keyed(Api api, String key) {
        return key == null ? api : api.key(key);
    }

    private Operation send(Request request, Function<Api, Answer> call) {
        Api api = pods.get();
        Api caller = request.user < 0 ? api : api.as("u" + request.user);
        long from = history.now();
        Operation operation;
        try {
            operation = answered(request, from, call.apply(caller));
        } catch (UncheckedIOException e) {
            boolean refused = e.getCause() instanceof ConnectException;
            operation = new Operation(request.kind, request.offer, request.user, request.key,
                    request.cart, from, history.now(),
                    refused ? Outcome.UNAVAILABLE : Outcome.UNKNOWN, refused ? REFUSED : LOST,
                    request.order, false, request.number, request.sku);
        }
        history.add(operation);
        return operation;
    }

    private Operation answered(Request request, long from, Answer answer) {
        long to = history.now();
        JsonNode body = answer.body();
        Outcome outcome = outcome(answer.status());
        String word = outcome == Outcome.OK ? state(request.kind, body) : answer.word();
        UUID order = request.order;
        long number = request.number;
        String key = request.key;
        if (outcome == Outcome.OK && request.kind.takes()) {
            order = UUID.fromString(
                    body.path(request.kind == Kind.GRAB ? "grab" : "order").asText());
            number = digest(request.kind, body);
        } else if (request.kind == Kind.BOOKS && outcome == Outcome.OK) {
            number = request.offer.isRain() ? 0 : unbalancedItem(body);
        } else if (outcome == Outcome.UNKNOWN && key == null && body.has("idempotencyKey")) {
            key = body.path("idempotencyKey").asText();
        }
        return new Operation(request.kind, request.offer, request.user, key, request.cart, from, to,
                outcome, intern(word), order,
                "true".equals(answer.header("Idempotency-Replayed")), number,
                request.sku != null ? request.sku : intern(body.path("sku").asText("")));
    }

    private static Outcome outcome(int status) {
        if (status < 300) {
            return Outcome.OK;
        }
        return switch (status) {
            case 500 -> Outcome.FAILED;
            case 503 -> Outcome.UNAVAILABLE;
            case 504 -> Outcome.UNKNOWN;
            default -> Outcome.REFUSED;
        };
    }

    private static String state(Kind kind, JsonNode body) {
        return body.path(switch (kind) {
            case BOOKS -> "verdict";
            case ORDER, PURCHASE, GRAB, CONFIRM -> "status";
            default -> "state";
        }).asText("");
    }

    /** A digest of everything that a replayed answer must repeat. */
    private static long digest(Kind kind, JsonNode body) {
        return kind == Kind.GRAB ? body.path("nth").asLong() << 32 | body.path("amount").asLong()
                : (body.path("items").toString() + body.path("placedAt") + body.path("payBy"))
                        .hashCode();
    }

    /** Returns 1 if an item's {@code left + ordered + inTransfer} is not its total; else 0. */
    private static long unbalancedItem(JsonNode books) {
        for (JsonNode item : books.path("items")) {
            long left = item.path("left").asLong();
            long units = left + item.path("ordered").asLong() + item.path("inTransfer").asLong();
            if (!books.path("verdict").asText().equals("not-loaded")
                    && (left < 0 || units != item.path("total").asLong())) {
                return 1;
            }
        }
        return 0;
    }

    private String intern(String word) {
        return words.computeIfAbsent(word, first -> first);
    }

    /** Creates the random number generator of one client. */
    static Random random(long seed, int client) {
        return new Random(seed * 1_000_003 + client);
    }
}
