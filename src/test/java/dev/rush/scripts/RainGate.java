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

    /** Begins to prepare, or finds how far that has come. */
    String draft(String definition, String seed, boolean seedGiven, String epoch,
            boolean released) {
        return (String) rain("rain/prepare", List.of("conf", "draft", "envelopes"), List.of(
                definition, seed, seedGiven ? "1" : "0", epoch, released ? "1" : "0"));
    }

    /** Puts the envelopes from an offset on, before another one. */
    String fill(Terms terms, String definition, String seed, String epoch, int from, int to) {
        List<String> args = new ArrayList<>(List.of(definition, seed, RAIN,
                text(terms.opensAt()), text(terms.closesAt()), text(terms.limit()),
                text(terms.amounts().size()),
                text(terms.amounts().stream().mapToLong(Long::longValue).sum()), epoch,
                text(from)));
        terms.amounts().subList(from, to).forEach(amount -> args.add(text(amount)));
        List<String> keys = new ArrayList<>(keys("conf", "draft", "envelopes"));
        keys.add(PARTITION.key("rains"));
        keys.addAll(keys("takers", "keys", "grabs", "board", "sums"));
        keys.add(PARTITION.orders());
        keys.add(PARTITION.sequence());
        return (String) scripts.call("rain/fill", keys, args);
    }

    /** When the rain was prepared, by the list of all rains; null when it is not listed. */
    String listedSince() {
        return scripts.redis().text("ZSCORE", PARTITION.key("rains"), RAIN);
    }

    /** Whether Redis forgets what is prepared by itself, as it does with an abandoned draft. */
    boolean isForgettable() {
        return scripts.redis().number("PTTL", keys("envelopes").get(0)) > 0
                && scripts.redis().number("PTTL", keys("draft").get(0)) > 0;
    }

    /** Whether nothing of the preparation is left, and nothing that was prepared is forgotten. */
    boolean isFinished() {
        return scripts.redis().number("PTTL", keys("envelopes").get(0)) == -1
                && scripts.redis().number("EXISTS", keys("draft").get(0)) == 0;
    }

    /** How many grabs the leaderboard keeps. */
    long boardSize() {
        // The last one stands for nobody.
        return Math.max(0, scripts.redis().number("ZCARD", keys("board").get(0)) - 1);
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
        String reply = (String) rain("redis/steer", List.of("conf"),
                List.of(action, "unknown-rain", "-", "-"));
        return reply.split(" ")[0];
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

    /**
     * What one snapshot shows.
     *
     * @param now      Redis's time
     * @param changes  differs when anything but a grab has changed the rain; null for no rain
     * @param counters "granted amount left"; null for no rain
     */
    record View(long now, String changes, String counters) {
    }

    View view() {
        List<?> reply = (List<?>) rain("rain/read", List.of("conf", "envelopes"), List.of());
        if (reply.size() == 1) {
            return new View((Long) reply.get(0), null, null);
        }
        Map<String, String> fields = new HashMap<>();
        List<?> flat = (List<?>) reply.get(1);
        for (int i = 0; i < flat.size(); i += 2) {
            fields.put((String) flat.get(i), (String) flat.get(i + 1));
        }
        return new View((Long) reply.get(0), fields.get("changes"), fields.get("granted") + " "
                + fields.get("granted_amount") + " " + reply.get(2));
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

    /** Makes the next write of an accepted grab fail half way, as a defect would. */
    void breakSequence() {
        scripts.redis().command("SET", PARTITION.sequence(), "broken");
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
