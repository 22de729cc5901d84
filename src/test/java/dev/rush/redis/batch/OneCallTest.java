package dev.rush.redis.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.redis.Script;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Requests that share a call get the same replies, and leave the same data, as in separate calls:
 * scripts write only at their end, so until then they must count what they have granted.
 */
class OneCallTest {
    private static final String UNLIMITED = "99999999999999";
    private static final String PAST = "1";
    private static final int REQUESTS = 240;
    /** As many as rush.batch.size and the API allow. */
    private static final int CARTS = 1000;
    private static final int LINES = 20;
    private static final List<String> SALE = List.of("conf", "stock", "buyers");
    private static final List<String> RAIN = List.of("conf", "envelopes", "takers", "board",
            "sums");

    private static EmbeddedRedis redis;
    private static Resp resp;

    private final long seed = Long.getLong("rush.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        resp = Resp.connect(redis.port());
    }

    @AfterAll
    static void stop() {
        resp.close();
        redis.close();
    }

    @ParameterizedTest(name = "guard {0}, at most {1} waiting")
    @CsvSource({"none,1000", "cart,1000", "user,1000", "none,30", "none,0"})
    @DisplayName("P1, P3, P8, I7: purchases of one call see each other")
    void purchasesOfOneCallSeeEachOther(String guard, String backlogMax) {
        List<List<String>> requests = IntStream.range(0, REQUESTS).mapToObj(i -> {
            String order = "order-" + i;
            String lines = lines();
            return List.of(random.nextInt(9) == 0 ? PAST : UNLIMITED,
                    "user-" + random.nextInt(12), order + " "
                    + (random.nextBoolean() ? "" : "key-" + random.nextInt(3)) + " "
                    + (lines.contains(",") ? lines : "=") + " " + lines);
        }).toList();
        same("sale/purchase", SALE, requests, List.of(backlogMax, "a-sale"), tag -> {
            resp.command("HSET", tag + "conf", "opens_at", "1", "closes_at", "0", "paused", "0",
                    "closed_at", "0", "guard", guard, "guard_window", "3600000",
                    "payment_window", "60000", "returns_limit", "1", "orders_per_user", "8",
                    "unpaid_holds", "3");
            resp.command("HSET", tag + "stock", "a:total", "60", "a:ordered", "0", "a:limit", "4",
                    "b:total", "40", "b:ordered", "0", "b:limit", "0");
        });
    }

    @Test
    @DisplayName("P6, I7: a call with the maximum number of carts of maximum size is written whole")
    void largestCallIsWrittenWhole() {
        resp.command("FLUSHALL");
        List<String> stock = new ArrayList<>(List.of("HSET", "{one}stock"));
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            lines.add("sku-" + i + ":1");
            stock.addAll(List.of("sku-" + i + ":total", "5000", "sku-" + i + ":ordered", "0",
                    "sku-" + i + ":limit", "1"));
        }
        resp.command(stock.toArray(String[]::new));
        resp.command("HSET", "{one}conf", "opens_at", "1", "closes_at", "0", "paused", "0",
                "closed_at", "0", "guard", "cart", "guard_window", "3600000",
                "payment_window", "0", "returns_limit", "1", "orders_per_user", "8",
                "unpaid_holds", "3");
        List<List<String>> requests = IntStream.range(0, CARTS).mapToObj(i -> List.of(UNLIMITED,
                "user-" + i, "order-" + i + " key-" + i + " a-digest " + String.join(",", lines)))
                .toList();

        List<String> replies = call("sale/purchase", "{one}", SALE, List.of("5000", "a-sale"),
                requests);

        assertThat(replies).hasSize(CARTS).allMatch(reply -> reply.startsWith("accepted "));
        assertThat(resp.command("HLEN", "{one}buyers")).isEqualTo((long) CARTS);
        assertThat(resp.command("XLEN", "{one}stream")).isEqualTo(1L);
    }

    @Test
    @DisplayName("I7: a sequence that is not a number loses no reply")
    void brokenSequenceLosesNoReply() {
        resp.command("FLUSHALL");
        resp.command("HSET", "{one}conf", "opens_at", "1", "closes_at", "0", "paused", "0",
                "closed_at", "0", "limit", "3", "count", "2", "granted", "0",
                "granted_amount", "0", "guard", "none", "guard_window", "0",
                "payment_window", "0", "returns_limit", "1", "orders_per_user", "8",
                "unpaid_holds", "3");
        resp.command("HSET", "{one}stock", "a:total", "9", "a:ordered", "0", "a:limit", "1");
        resp.command("RPUSH", "{one}envelopes", "5", "6", "");
        resp.command("SET", "{one}seq", "broken");

        assertThat(call("rain/grab", "{one}", RAIN, List.of("1000", "a-rain"), List.of(
                List.of(UNLIMITED, "user-1", "grab-1 "),
                List.of(PAST, "user-2", "grab-2 ")))).hasSize(2)
                .satisfies(replies -> assertThat(replies.get(0)).startsWith("failed "))
                .satisfies(replies -> assertThat(replies.get(1)).isEqualTo("unavailable"));
        assertThat(call("sale/purchase", "{one}", SALE, List.of("1000", "a-sale"), List.of(
                List.of(UNLIMITED, "user-1", "order-1  = a:1"),
                List.of(PAST, "user-2", "order-2  = a:1")))).hasSize(2)
                .satisfies(replies -> assertThat(replies.get(0)).startsWith("failed "))
                .satisfies(replies -> assertThat(replies.get(1)).isEqualTo("unavailable"));
    }

    @ParameterizedTest(name = "at most {0} waiting")
    @CsvSource({"1000", "30", "0"})
    @DisplayName("G3, G4, G5, I13: grabs of one call see each other")
    void grabsOfOneCallSeeEachOther(String backlogMax) {
        List<List<String>> requests = IntStream.range(0, REQUESTS).mapToObj(i -> {
            String grab = "grab-" + i;
            return List.of(UNLIMITED, "user-" + random.nextInt(30), grab + " "
                    + (random.nextBoolean() ? "" : "key-" + random.nextInt(3)));
        }).toList();
        List<String> amounts = random.longs(70, 1, 1L << 46).mapToObj(Long::toString).toList();
        same("rain/grab", RAIN, requests, List.of(backlogMax, "a-rain"), tag -> {
            resp.command("HSET", tag + "conf", "opens_at", "1", "closes_at", "0", "paused", "0",
                    "closed_at", "0", "limit", "3", "count", "70", "granted", "0",
                    "granted_amount", "0");
            List<String> push = new ArrayList<>(List.of("RPUSH", tag + "envelopes"));
            push.addAll(amounts);
            push.add("");
            resp.command(push.toArray(String[]::new));
        });
    }

    private String lines() {
        return switch (random.nextInt(5)) {
            case 0 -> "a:" + (1 + random.nextInt(3));
            case 1 -> "b:" + (1 + random.nextInt(6));
            case 2 -> "a:1,b:2";
            case 3 -> random.nextInt(10) == 0 ? "c:1" : "b:1,a:2";
            default -> "a:1";
        };
    }

    private interface Setting {
        void prepare(String tag);
    }

    private void same(String script, List<String> parts, List<List<String>> requests,
            List<String> head, Setting setting) {
        resp.command("FLUSHALL");
        setting.prepare("{one}");
        setting.prepare("{many}");
        List<String> alone = new ArrayList<>();
        requests.forEach(request -> alone.addAll(call(script, "{one}", parts, head,
                List.of(request))));
        List<String> together = new ArrayList<>();
        int next = 0;
        while (next < requests.size()) {
            int end = Math.min(requests.size(), next + 1 + random.nextInt(128));
            together.addAll(call(script, "{many}", parts, head, requests.subList(next, end)));
            next = end;
        }
        String hint = "-Drush.seed=" + seed;
        assertThat(together).as(hint).isEqualTo(alone);
        assertThat(alone).as(hint).anyMatch(reply -> reply.startsWith("accepted "))
                .anyMatch(reply -> reply.matches("replayed .*|key-reused"));
        assertThat(everything("{many}", parts)).as(hint).isEqualTo(everything("{one}", parts));
    }

    private static List<String> call(String script, String tag, List<String> parts,
            List<String> head, List<List<String>> requests) {
        List<String> words = new ArrayList<>(List.of("EVAL", Script.load(script).text(),
                Integer.toString(parts.size() + 2)));
        parts.forEach(part -> words.add(tag + part));
        words.addAll(List.of(tag + "stream", tag + "seq"));
        words.addAll(head);
        words.add(requests.stream().map(request -> request.get(0))
                .min(Comparator.comparing(Long::valueOf)).orElseThrow());
        words.add(requests.stream().map(request -> request.get(0))
                .collect(Collectors.joining(" ")));
        if (script.equals("sale/purchase")) {
            List<String> lines = requests.stream().map(request -> request.get(2))
                    .map(what -> what.substring(what.lastIndexOf(' ') + 1)).distinct().toList();
            words.add(lines.size() == 1 ? lines.get(0) : "");
        }
        requests.forEach(request -> words.add(request.get(1)));
        requests.forEach(request -> words.add(request.get(2)));
        List<?> reply = resp.list(words.toArray(String[]::new));
        return reply.subList(2, reply.size()).stream().map(each -> timeless(each.toString()))
                .toList();
    }

    /** Everything that a script wrote, without times. */
    private static Map<String, String> everything(String tag, List<String> parts) {
        Map<String, String> all = new TreeMap<>();
        for (String part : parts) {
            Object value = switch ((String) resp.command("TYPE", tag + part)) {
                case "hash" -> fields(resp.list("HGETALL", tag + part));
                case "zset" -> fields(resp.list("ZRANGE", tag + part, "0", "-1", "WITHSCORES"));
                case "list" -> resp.list("LRANGE", tag + part, "0", "-1");
                default -> "";
            };
            all.put(part, timeless(value.toString()));
        }
        // The same orders in the same order, however many calls added them.
        String entries = resp.list("XRANGE", tag + "stream", "-", "+").stream()
                .map(entry -> timeless(((List<?>) entry).get(1).toString()))
                .map(entry -> entry.replaceFirst(
                        "^.(purchase, a-sale TIME TIME|grab, a-rain TIME \\d+) \\d+ \\d+", "")
                        .replaceFirst("\\]$", "")).collect(Collectors.joining());
        all.put("stream", entries);
        all.put("seq", String.valueOf(resp.command("GET", tag + "seq")));
        return all;
    }

    private static Map<String, String> fields(List<?> flat) {
        Map<String, String> fields = new TreeMap<>();
        for (int i = 0; i < flat.size(); i += 2) {
            fields.put(flat.get(i).toString(), flat.get(i + 1).toString());
        }
        return fields;
    }

    /** Times are milliseconds since 1970: this year they begin with 17 or 18. */
    private static String timeless(String text) {
        // The head of a record's line depends on its call.
        return text.replaceAll("\\b1[789]\\d{11}\\b", "TIME")
                .replaceAll(" TIME \\d+\n", " TIME\n");
    }
}
