package dev.rush.scripts;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The scripts of one rain, and where they keep it. */
final class RainGate {
    private static final String RAIN = "a-rain";
    private static final String EPOCH = "an-epoch";
    private static final Partition PARTITION = new Partitions(64).of(RAIN);

    private final LuaScripts scripts;

    RainGate(LuaScripts scripts) {
        this.scripts = scripts;
    }

    /** What a rain is prepared with. Times are milliseconds, 0 for none. */
    record Terms(long opensAt, long closesAt, long limit, List<Long> amounts) {
    }

    /** One grab as it reaches the script; the key is the grab's id where the client sent none. */
    record Grab(long deadline, String grab, String user, String key) {
    }

    /** The replies of one call: Redis's time, the partition's sequence, a text per request. */
    record Reply(long now, long sequence, List<String> texts) {
    }

    /** A grab on its way to the ledger. */
    record Granted(String grab, String user, String key, long number, long nth, long amount,
            long at, long sequence) {
    }

    /** Prepares in parts, each of which may be sent twice. */
    void prepare(Terms terms, int part, boolean twice) {
        rain("rain/prepare", List.of("conf", "draft", "envelopes"),
                List.of("{}", "7", "1", EPOCH, "0"));
        int count = terms.amounts().size();
        long sum = terms.amounts().stream().mapToLong(Long::longValue).sum();
        List<String> keys = new ArrayList<>(keys("conf", "draft", "envelopes"));
        keys.add(PARTITION.key("rains"));
        for (int offset = 0; offset < count; offset += part) {
            List<String> args = new ArrayList<>(List.of("{}", "7", RAIN, text(terms.opensAt()),
                    text(terms.closesAt()), text(terms.limit()), text(count), text(sum), EPOCH,
                    text(offset)));
            terms.amounts().subList(offset, Math.min(count, offset + part))
                    .forEach(amount -> args.add(text(amount)));
            scripts.call("rain/fill", keys, args);
            if (twice) {
                scripts.call("rain/fill", keys, args);
            }
        }
    }

    Reply grab(long backlog, List<Grab> grabs) {
        List<String> args = new ArrayList<>(List.of(text(backlog), RAIN));
        grabs.forEach(each -> args.addAll(
                List.of(text(each.deadline()), each.grab(), each.user(), each.key())));
        List<String> keys = new ArrayList<>(
                keys("conf", "envelopes", "takers", "keys", "grabs", "board", "sums"));
        keys.add(PARTITION.orders());
        keys.add(PARTITION.sequence());
        List<?> reply = (List<?>) scripts.call("rain/grab", keys, args);
        return new Reply((Long) reply.get(0), (Long) reply.get(1),
                reply.subList(2, reply.size()).stream().map(Object::toString).toList());
    }

    String steer(String action) {
        return (String) rain("redis/steer", List.of("conf"), List.of(action, "unknown-rain"));
    }

    /** The entries of the leaderboard: "user nth amount", or by user "user grabs sum". */
    List<String> leaderboard(String by, int most) {
        return texts(rain("rain/leaderboard", List.of("conf", "board", "sums", "takers"),
                List.of(by, text(most))));
    }

    /** What a user grabbed, newest first: "nth grab number amount at key". */
    List<String> grabs(String user, int most) {
        return texts(rain("rain/grabs", List.of("conf", "takers", "grabs"),
                List.of(user, text(most))));
    }

    /** "granted amount left" in one snapshot; null for an unknown rain. */
    String counters() {
        List<?> reply = (List<?>) rain("rain/read", List.of("conf", "envelopes"), List.of());
        if (reply.size() < 3) {
            return null;
        }
        Map<String, String> fields = new HashMap<>();
        List<?> flat = (List<?>) reply.get(1);
        for (int i = 0; i < flat.size(); i += 2) {
            fields.put((String) flat.get(i), (String) flat.get(i + 1));
        }
        return fields.get("granted") + " " + fields.get("granted_amount") + " " + reply.get(2);
    }

    /** Takes what waits in the stream, as the writer does. */
    List<Granted> drain() {
        List<Granted> found = new ArrayList<>();
        List<String> args = new ArrayList<>();
        for (Object entry : scripts.redis().list("XRANGE", PARTITION.orders(), "-", "+")) {
            args.add((String) ((List<?>) entry).get(0));
            String[] words = ((List<?>) ((List<?>) entry).get(1)).get(1).toString().split(" ");
            found.add(new Granted(words[3], words[1], words[2], Long.parseLong(words[4]),
                    Long.parseLong(words[5]), Long.parseLong(words[6]), Long.parseLong(words[7]),
                    Long.parseLong(words[8])));
        }
        if (!args.isEmpty()) {
            args.addAll(0, List.of(text(args.size()), "0"));
            List<String> keys = new ArrayList<>(List.of(PARTITION.orders()));
            keys.addAll(keys("orders", "placed"));
            scripts.call("order/settle", keys, args);
        }
        return found;
    }

    /** Loses what is left of the envelopes, as an empty restart of Redis might. */
    void loseEnvelopes() {
        scripts.redis().command("DEL", keys("envelopes").get(0));
    }

    /** Loses everything. */
    void clear() {
        scripts.redis().command("FLUSHALL");
    }

    private Object rain(String name, List<String> parts, List<String> args) {
        return scripts.call(name, keys(parts.toArray(String[]::new)), args);
    }

    private static List<String> texts(Object reply) {
        return reply == null ? null : ((List<?>) reply).stream().map(Object::toString).toList();
    }

    private static List<String> keys(String... parts) {
        return List.of(parts).stream().map(part -> PARTITION.key("rain:" + RAIN + ":" + part))
                .toList();
    }

    private static String text(long number) {
        return Long.toString(number);
    }
}
