package dev.rush.bench.layout;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.rush.redis.Script;
import dev.rush.testing.Resp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** A layout: its script, its keys, and the form of its calls. */
enum Contender {
    /** Separate keys for units, answers, orders and their sequence; one stream entry per order. */
    FIVE_STRUCTURES("five structures", List.of("conf", "stock", "buyers", "keys", "orders",
            "placed", "guard", "stream", "seq"), List.of("orders", "placed")) {
        @Override
        String script() {
            try {
                return Files.readString(Path.of("bench/layout/five-structures.lua"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        List<String> head(Form form) {
            return List.of(BACKLOG_MAX, SALE);
        }

        @Override
        List<String> request(String user, String order, String key, String lines) {
            return List.of(NEVER, order, user, key == null ? order : key, "=", lines);
        }
    },
    /** One record per buyer; one stream entry per call. */
    RECORDS("one record per buyer", List.of("conf", "stock", "buyers", "stream", "seq"),
            List.of()) {
        @Override
        String script() {
            return Script.load("sale/purchase").text();
        }

        @Override
        List<String> head(Form form) {
            return List.of(BACKLOG_MAX, SALE, NEVER, "", form.mixed() ? "" : LINES);
        }

        @Override
        List<String> request(String user, String order, String key, String lines) {
            return List.of(user, order + ' ' + (key == null ? "" : key) + " = " + lines);
        }

        @Override
        List<String> words(List<List<String>> requests) {
            return Stream.of(0, 1).flatMap(
                    place -> requests.stream().map(request -> request.get(place))).toList();
        }
    };

    private static final String BACKLOG_MAX = "2000000";
    private static final String SALE = "a-sale";
    private static final String TAG = "{p00}";
    private static final String NEVER = "9999999999999";
    private static final String LINES = "apple:1";
    private static final String OTHER_LINES = "pear:1";
    private static final int USER_FIRST = 100_000;

    private final String title;
    private final List<String> parts;
    private final List<String> untilStored;

    /**
     * Creates a layout.
     *
     * @param untilStored keys that, like the stream, are empty once PostgreSQL has all orders
     */
    Contender(String title, List<String> parts, List<String> untilStored) {
        this.title = title;
        this.parts = parts;
        this.untilStored = untilStored;
    }

    abstract String script();

    abstract List<String> head(Form form);

    abstract List<String> request(String user, String order, String key, String lines);

    /** Returns the arguments of all requests of a call. */
    List<String> words(List<List<String>> requests) {
        return requests.stream().flatMap(List::stream).toList();
    }

    /** Empties the server and stores a sale that never sells out. */
    void prepare(Resp redis) {
        redis.command("FLUSHALL", "SYNC");
        redis.command("HSET", TAG + "conf", "opens_at", "1", "closes_at", "0", "paused", "0",
                "closed_at", "0", "guard", "none", "guard_window", "2000", "payment_window", "0",
                "returns_limit", "1", "orders_per_user", "20", "unpaid_holds", "3");
        redis.command("HSET", TAG + "stock", "apple:total", "900000000", "apple:ordered", "0",
                "apple:limit", "1", "pear:total", "900000000", "pear:ordered", "0",
                "pear:limit", "1");
    }

    /** Removes what is removed once PostgreSQL has all orders. */
    void store(Resp redis) {
        redis.command("DEL", TAG + "stream");
        untilStored.forEach(part -> redis.command("DEL", TAG + part));
    }

    /** Returns the calls for a number of first purchases. */
    List<String[]> calls(String sha1, Form form, int purchases) {
        List<String[]> calls = new ArrayList<>();
        for (int first = 0; first < purchases; first += form.size()) {
            List<String> words = new ArrayList<>(List.of("EVALSHA", sha1,
                    Integer.toString(parts.size())));
            parts.forEach(part -> words.add(TAG + part));
            words.addAll(head(form));
            List<List<String>> requests = new ArrayList<>();
            for (int i = first; i < first + form.size(); i++) {
                requests.add(request(
                        form.uuids() ? UUID.randomUUID().toString() : "user-" + (USER_FIRST + i),
                        UuidCreator.getTimeOrderedEpochFast().toString(),
                        form.keyed() ? UUID.randomUUID().toString() : null,
                        form.mixed() && i % 2 == 1 ? OTHER_LINES : LINES));
            }
            words.addAll(words(requests));
            calls.add(words.toArray(String[]::new));
        }
        return calls;
    }

    @Override
    public String toString() {
        return title;
    }
}
