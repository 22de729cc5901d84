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

/** Calls the service, each time through some pod, and notes what was asked and answered. */
public final class Calls {
    /** Stands for an answer of a pod that nothing listened at. */
    public static final String REFUSED = "connection-refused";
    private static final String LOST = "connection-lost";

    private final History history;
    private final Supplier<Api> pods;
    private final Map<String, String> words = new ConcurrentHashMap<>();

    /**
     * Calls of one run.
     *
     * @param pods gives a client of some pod
     */
    public Calls(History history, Supplier<Api> pods) {
        this.history = history;
        this.pods = pods;
    }

    History history() {
        return history;
    }

    /** What is asked, before the answer is known. */
    private record Question(Kind kind, Offer offer, int user, String key, Cart cart, UUID order,
            long number, String sku) {
    }

    Operation purchase(Offer sale, int user, String key, Cart cart) {
        return ask(new Question(Kind.PURCHASE, sale, user, key, cart, null, 0, null),
                api -> keyed(api, key).post(sale.path() + "/purchases", cart.json()));
    }

    Operation grab(Offer rain, int user, String key) {
        return ask(new Question(Kind.GRAB, rain, user, key, null, null, 0, null),
                api -> keyed(api, key).post(rain.path() + "/grabs"));
    }

    Operation giveBack(Offer sale, int user, UUID order) {
        return ask(new Question(Kind.RETURN, sale, user, null, null, order, 0, null),
                api -> api.post(sale.path() + "/returns", "{\"order\":\"" + order + "\"}"));
    }

    Operation giveBack(Offer sale, int user, String key) {
        return ask(new Question(Kind.RETURN, sale, user, key, null, null, 0, null),
                api -> api.post(sale.path() + "/returns",
                        "{\"idempotencyKey\":\"" + key + "\"}"));
    }

    Operation confirm(Offer sale, int user, UUID order) {
        return ask(new Question(Kind.CONFIRM, sale, user, null, null, order, 0, null),
                api -> api.post(sale.path() + "/orders/" + order + "/confirm"));
    }

    Operation order(Offer sale, int user, UUID order) {
        return ask(new Question(Kind.ORDER, sale, user, null, null, order, 0, null),
                api -> api.get(sale.path() + "/orders/" + order));
    }

    Operation view(Offer offer, int user) {
        return ask(new Question(Kind.VIEW, offer, user, null, null, null, 0, null),
                api -> api.get(offer.path()));
    }

    Operation prepare(Offer offer) {
        return ask(new Question(Kind.PREPARE, offer, -1, null, null, null, 0, null),
                api -> api.asOperator().put(offer.path(), offer.definition()));
    }

    Operation control(Kind kind, Offer offer) {
        return ask(new Question(kind, offer, -1, null, null, null, 0, null),
                api -> api.asOperator().post(offer.path() + "/" + kind.name().toLowerCase()));
    }

    Operation total(Offer sale, String sku, long total) {
        return ask(new Question(Kind.TOTAL, sale, -1, null, null, null, total, sku),
                api -> api.asOperator().patch(
                        sale.path() + "/items/" + sku, "{\"total\":" + total + "}"));
    }

    Operation books(Offer offer) {
        return ask(new Question(Kind.BOOKS, offer, -1, null, null, null, 0, null),
                api -> api.asOperator().get(offer.path() + "/books"));
    }

    /** Repairs the books of a sale. */
    public Operation repair(Offer sale) {
        return ask(new Question(Kind.REPAIR, sale, -1, null, null, null, 0, null),
                api -> api.asOperator().post(sale.path() + "/books/repair"));
    }

    private static Api keyed(Api api, String key) {
        return key == null ? api : api.key(key);
    }

    private Operation ask(Question question, Function<Api, Answer> call) {
        Api api = pods.get();
        Api caller = question.user < 0 ? api : api.as("u" + question.user);
        long from = history.now();
        Operation operation;
        try {
            operation = answered(question, from, call.apply(caller));
        } catch (UncheckedIOException e) {
            boolean refused = e.getCause() instanceof ConnectException;
            operation = new Operation(question.kind, question.offer, question.user, question.key,
                    question.cart, from, history.now(),
                    refused ? Outcome.UNAVAILABLE : Outcome.UNKNOWN, refused ? REFUSED : LOST,
                    question.order, false, question.number, question.sku);
        }
        history.add(operation);
        return operation;
    }

    private Operation answered(Question asked, long from, Answer answer) {
        long to = history.now();
        JsonNode body = answer.body();
        Outcome outcome = outcome(answer.status());
        String word = outcome == Outcome.OK ? state(asked.kind, body) : answer.word();
        UUID order = asked.order;
        long number = asked.number;
        String key = asked.key;
        if (outcome == Outcome.OK && (asked.kind == Kind.PURCHASE || asked.kind == Kind.GRAB)) {
            order = UUID.fromString(body.path(asked.kind == Kind.GRAB ? "grab" : "order").asText());
            number = digest(asked.kind, body);
        } else if (asked.kind == Kind.BOOKS && outcome == Outcome.OK) {
            number = asked.offer.isRain() ? 0 : unbalancedItem(body);
        } else if (outcome == Outcome.UNKNOWN && key == null && body.has("idempotencyKey")) {
            key = body.path("idempotencyKey").asText();
        }
        return new Operation(asked.kind, asked.offer, asked.user, key, asked.cart, from, to,
                outcome, shared(word), order,
                "true".equals(answer.header("Idempotency-Replayed")), number,
                asked.sku != null ? asked.sku : shared(body.path("sku").asText("")));
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

    /** What a repeated answer must repeat. */
    private static long digest(Kind kind, JsonNode body) {
        return kind == Kind.GRAB ? body.path("nth").asLong() << 32 | body.path("amount").asLong()
                : (body.path("items").toString() + body.path("placedAt") + body.path("payBy"))
                        .hashCode();
    }

    /** 1 if Redis, read at one instant, has an item of which left and ordered are not the total. */
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

    private String shared(String word) {
        return words.computeIfAbsent(word, same -> same);
    }

    /** A random number generator of one client of a run. */
    static Random random(long seed, int client) {
        return new Random(seed * 1_000_003 + client);
    }
}
