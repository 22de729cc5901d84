package dev.rush.scripts;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The scripts of one rain, and their keys. */
final class RainGate {
    private static final String RAIN = "a-rain";
    /** The month in which the ledger has the rain. */
    private static final String MONTH = "202601";
    private static final Partition PARTITION = new Partitions(64).of(RAIN);
    private static final String[] PARTS = {"conf", "envelopes", "takers", "board", "sums"};

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

    /** A grab on its way to the ledger. */
    record Granted(String grab, String user, String key, long number, long nth, long amount,
            long at, long sequence) {
    }

    /** Begins to prepare, or returns the progress. */
    String draft(String definition, String seed, boolean seedGiven, String epoch,
            boolean released) {
        return (String) rain("rain/prepare", List.of("conf", "draft", "envelopes"), List.of(
                LuaScripts.NEVER, definition, seed, seedGiven ? "1" : "0", epoch,
                released ? "1" : "0"));
    }

    /** Adds the envelopes from one offset up to another, exclusively. */
    String fill(Terms terms, String definition, String seed, String epoch, int from, int to) {
        List<String> args = new ArrayList<>(List.of(LuaScripts.NEVER, definition, seed, RAIN,
                text(terms.opensAt()), text(terms.closesAt()), text(terms.limit()),
                text(terms.amounts().size()),
                text(terms.amounts().stream().mapToLong(Long::longValue).sum()), epoch,
                text(from), MONTH));
        terms.amounts().subList(from, to).forEach(amount -> args.add(text(amount)));
        List<String> keys = new ArrayList<>(keys("conf", "draft", "envelopes"));
        keys.add(PARTITION.key("rains"));
        keys.addAll(keys("takers", "board", "sums"));
        keys.add(PARTITION.key("orders"));
        keys.add(PARTITION.key("seq"));
        return (String) scripts.call("rain/fill", keys, args);
    }

    /** When the rain was prepared, by the list of all rains; null if it is not listed. */
    String listedSince() {
        return scripts.redis().text("ZSCORE", PARTITION.key("rains"), RAIN);
    }

    /** The release and month by which the ledger has the rain. */
    List<?> noted() {
        return scripts.redis().list("HMGET", keys("conf").get(0), "release", "month");
    }

    /** How many seconds Redis will keep the draft, and its envelopes if there are any. */
    List<Long> keptSeconds() {
        return List.of(scripts.redis().number("TTL", keys("draft").get(0)),
                scripts.redis().number("TTL", keys("envelopes").get(0)));
    }

    /** Lets the draft nearly expire. */
    void age() {
        keys("draft", "envelopes").forEach(key -> scripts.redis().command("EXPIRE", key, "99"));
    }

    /** Whether each key of a rain exists. */
    boolean isWhole() {
        List<String> names = all();
        List<String> words = new ArrayList<>(names);
        words.add(0, "EXISTS");
        return scripts.redis().number(words.toArray(String[]::new)) == names.size();
    }

    /** Whether the draft is gone, and the envelopes do not expire. */
    boolean isFinished() {
        return scripts.redis().number("PTTL", keys("envelopes").get(0)) == -1
                && scripts.redis().number("EXISTS", keys("draft").get(0)) == 0;
    }

    /** How many members a ranking has: board or sums. Until it is full, one is a placeholder. */
    long ranked(String ranking) {
        return scripts.redis().number("ZCARD", keys(ranking).get(0));
    }

    Reply grab(long backlog, List<Grab> grabs) {
        List<String> args = new ArrayList<>(List.of(text(backlog), RAIN));
        args.addAll(Deadline.texts(grabs.stream().map(Grab::deadline).toList()));
        grabs.forEach(each -> args.add(each.user()));
        grabs.forEach(each -> args.add(
                each.grab() + " " + (each.key().equals(each.grab()) ? "" : each.key())));
        return Reply.of(scripts.call("rain/grab", all(), args));
    }

    private static List<String> all() {
        List<String> keys = new ArrayList<>(keys(PARTS));
        keys.addAll(List.of(PARTITION.key("orders"), PARTITION.key("seq")));
        return keys;
    }

    String control(String action) {
        String reply = (String) rain("offer/control", List.of("conf"),
                List.of(LuaScripts.NEVER, action, "unknown-rain", "-", "-", "-", "", ""));
        return reply.split(" ")[0];
    }

    /** The entries of the leaderboard: "user nth amount", or by user "user grabs sum". */
    List<String> leaderboard(String by, int max) {
        return texts(rain("rain/leaderboard", List.of("conf", "board", "sums", "takers"),
                List.of(by, text(max))));
    }

    /** What a user grabbed, newest first: "nth grab number amount at key", and whether it waits. */
    List<String> grabs(String user) {
        List<String> keys = new ArrayList<>(keys("conf", "takers"));
        keys.add(PARTITION.key("orders"));
        List<?> reply = (List<?>) scripts.call("rain/grabs", keys, List.of(user));
        if (reply == null) {
            return null;
        }
        long first = reply.get(0) == null ? Long.MAX_VALUE : (Long) reply.get(0);
        List<String> grabs = new ArrayList<>();
        String record = reply.size() < 2 || reply.get(1) == null ? "" : reply.get(1).toString();
        record.lines().map(line -> line.split(" ")).forEach(words -> grabs.add(0, String.join(" ",
                text(grabs.size() + 1), words[0], words[2], words[3], words[4],
                words[1].isEmpty() ? words[0] : words[1])
                + (Long.parseLong(words[5]) >= first ? " waits" : "")));
        return grabs;
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
        List<?> reply = (List<?>) rain("rain/read",
                List.of("conf", "envelopes", "takers"), List.of());
        if (reply.size() == 1) {
            return new View((Long) reply.get(0), null, null);
        }
        Map<String, String> fields = Pairs.of(reply.get(1));
        return new View((Long) reply.get(0), fields.get("changes"), fields.get("granted") + " "
                + fields.get("granted_amount") + " " + reply.get(2));
    }

    /** Takes what waits in the stream, as the writer does. */
    List<Granted> drain() {
        List<Granted> found = new ArrayList<>();
        List<String> args = new ArrayList<>();
        for (Object entry : scripts.redis().list("XRANGE", PARTITION.key("orders"), "-", "+")) {
            args.add((String) ((List<?>) entry).get(0));
            String[] words = ((List<?>) ((List<?>) entry).get(1)).get(1).toString().split(" ");
            for (int i = 5; i < words.length; i += 5) {
                int place = i / 5 - 1;
                found.add(new Granted(words[i + 1], words[i],
                        words[i + 2].isEmpty() ? words[i + 1] : words[i + 2],
                        Long.parseLong(words[2]) + place, Long.parseLong(words[i + 3]),
                        Long.parseLong(words[i + 4]), Long.parseLong(words[1]),
                        Long.parseLong(words[4]) + place));
            }
        }
        if (!args.isEmpty()) {
            args.addAll(0, List.of("XDEL", PARTITION.key("orders")));
            scripts.redis().command(args.toArray(String[]::new));
        }
        return found;
    }

    /** The books' snapshot of the rain: its counters, and the position of its partition. */
    List<?> books() {
        List<String> keys = new ArrayList<>(keys("conf", "envelopes", "takers"));
        keys.add(PARTITION.key("orders"));
        keys.add(PARTITION.key("seq"));
        return (List<?>) scripts.call("reconciliation/rain", keys, List.of());
    }

    /** The last entry read in a part of the stream, then its grabs: "grab amount". */
    List<?> waiting(String after, int max) {
        return (List<?>) scripts.call("reconciliation/waiting", List.of(PARTITION.key("orders")),
                List.of("grab", RAIN, after, "+", text(max)));
    }

    /** Requeues grabs of a user. */
    long requeue(String user, String... grabs) {
        List<String> keys = new ArrayList<>(keys("takers"));
        keys.addAll(List.of(PARTITION.key("orders"), PARTITION.key("seq")));
        List<String> args = new ArrayList<>(List.of(RAIN));
        List.of(grabs).forEach(grab -> args.addAll(List.of(user, grab)));
        return (Long) scripts.call("reconciliation/requeue-grabs", keys, args);
    }

    /** The places of all entries in the stream. */
    List<String> places() {
        return scripts.redis().list("XRANGE", PARTITION.key("orders"), "-", "+").stream()
                .map(entry -> ((List<?>) ((List<?>) entry).get(1)).get(1).toString())
                .map(words -> words.split(" ")[3]).toList();
    }

    /** Deletes the partition's sequence. */
    void loseSequence() {
        scripts.redis().command("DEL", PARTITION.key("seq"));
    }

    /** The last entry of the stream. */
    String last() {
        return (String) ((List<?>) scripts.redis().list(
                "XREVRANGE", PARTITION.key("orders"), "+", "-", "COUNT", "1").get(0)).get(0);
    }

    /** Puts another amount into the next envelope, as only a defect could. */
    void setNext(long amount) {
        scripts.redis().command("LSET", keys("envelopes").get(0), "0", text(amount));
    }

    /** Deletes the remaining envelopes, as an empty restart of Redis might. */
    void loseEnvelopes() {
        scripts.redis().command("DEL", keys("envelopes").get(0));
    }

    /** Deletes only the takers, as an operator might. */
    void loseTakers() {
        scripts.redis().command("DEL", keys("takers").get(0));
    }

    /** Makes the next write of an accepted grab fail halfway, as a defect would. */
    void breakSequence() {
        scripts.redis().command("SET", PARTITION.key("seq"), "broken");
    }

    /** Deletes everything. */
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
