package dev.rush.scripts;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The scripts that move units between the shards of one sale, and their keys. */
final class ShardGate {
    private static final String SALE = "a-sale";
    private static final String SKU = "a";
    private static final String NOTE = "a note";
    private static final String CONTROL = "another note";
    private static final List<Partition> SHARDS =
            new Partitions(64).shards(SALE, 3).partitions();

    private final LuaScripts scripts;

    ShardGate(LuaScripts scripts) {
        this.scripts = scripts;
    }

    /** An unfinished transfer, as noted by its source. */
    record Note(int source, String transfer, String generation, int destination, long units) {
    }

    int shards() {
        return SHARDS.size();
    }

    void prepare(List<Long> totals) {
        scripts.redis().command("FLUSHALL");
        for (int shard = 0; shard < SHARDS.size(); shard++) {
            scripts.call("sale/prepare", keys(shard, "conf"),
                    List.of(LuaScripts.NEVER, "{}", "0", "0", "none", "0", "0", "1", "1000", "0",
                            "e"));
            List<String> keys = new ArrayList<>(keys(shard, "conf", "stock"));
            keys.add(SHARDS.get(shard).key("sales"));
            scripts.call("sale/load", keys, List.of(LuaScripts.NEVER, "e", SALE,
                    shard == 0 ? "1" : "0", "202601", SKU, Long.toString(totals.get(shard)), "0",
                    shard > 0 ? "-" : Long.toString(
                            totals.stream().mapToLong(Long::longValue).sum())));
            List<String> all = new ArrayList<>(keys(shard, "conf", "buyers", "transfers",
                    "received"));
            all.addAll(List.of(SHARDS.get(shard).key("orders"), SHARDS.get(shard).key("seq"),
                    unfinished(shard)));
            all.addAll(keys(shard, "stock"));
            scripts.call("sale/ensure", all, List.of());
        }
    }

    /** Buys in one shard; returns the first word of the reply. */
    String buy(int shard, String order, long units) {
        List<String> keys = new ArrayList<>(keys(shard, "conf", "stock", "buyers"));
        keys.add(SHARDS.get(shard).key("orders"));
        keys.add(SHARDS.get(shard).key("seq"));
        String lines = SKU + ":" + units;
        List<?> reply = (List<?>) scripts.call("sale/purchase", keys, List.of("0", SALE,
                "99999999999999", "", lines, order, order + "  = " + lines));
        return reply.get(2).toString().split(" ")[0];
    }

    String take(int source, String transfer, int destination, long min) {
        List<String> keys = new ArrayList<>(keys(source, "conf", "stock", "transfers"));
        keys.add(unfinished(source));
        return (String) scripts.call("sale/take", keys, List.of(
                transfer, Integer.toString(destination), SKU, Long.toString(min), NOTE));
    }

    /** Resumes a transfer whose units were taken. */
    String resume(int source, String transfer) {
        return (String) scripts.call(
                "sale/retake", keys(source, "transfers"), List.of(transfer));
    }

    String give(Note note) {
        return (String) scripts.call("sale/give",
                keys(note.destination(), "conf", "stock", "received"), List.of(note.transfer(),
                        note.generation(), SKU, Long.toString(note.units())));
    }

    /** Changes the total of all shards, in the first of them. */
    String total(long whole) {
        return (String) scripts.call("sale/total", keys(0, "conf", "stock"),
                List.of(LuaScripts.NEVER, SKU, Long.toString(whole), "0", "-", "", ""));
    }

    /** Deletes a shard's terms or counters. */
    void lose(int shard, String part) {
        scripts.redis().command("DEL", keys(shard, part).get(0));
    }

    /** Removes a note, once its units were given; returns how many notes the shard still has. */
    long finish(Note note) {
        List<String> keys = new ArrayList<>(keys(note.source(), "transfers"));
        keys.add(unfinished(note.source()));
        return (Long) scripts.call("sale/finish", keys, List.of(NOTE, note.transfer()));
    }

    /** Whether the shard is noted as having unfinished transfers. */
    boolean isUnfinished(int shard) {
        return scripts.redis().number("HEXISTS", unfinished(shard), NOTE) == 1;
    }

    private static String unfinished(int shard) {
        return SHARDS.get(shard).key("unfinished");
    }

    /** All notes of all shards. */
    List<Note> notes() {
        List<Note> notes = new ArrayList<>();
        for (int shard = 0; shard < SHARDS.size(); shard++) {
            int source = shard;
            read(shard, 3).forEach((transfer, text) -> {
                String[] words = text.split(" ");
                notes.add(new Note(source, transfer, words[0], Integer.parseInt(words[1]),
                        Long.parseLong(words[3])));
            });
        }
        return notes;
    }

    /** A shard's counters, by their names without the sku. */
    Map<String, Long> counters(int shard) {
        Map<String, Long> counters = new HashMap<>();
        read(shard, 2).forEach((name, value) ->
                counters.put(name.substring(SKU.length() + 1), Long.valueOf(value)));
        return counters;
    }

    private Map<String, String> read(int shard, int at) {
        List<?> reply = (List<?>) scripts.call(
                "sale/read", keys(shard, "conf", "stock", "transfers"), List.of());
        return Pairs.of(reply.get(at));
    }

    /**
     * Pauses, resumes or closes a shard.
     *
     * @param version of the change that it follows; null where the change is decided and noted
     */
    String control(int shard, String action, Long version) {
        List<String> keys = new ArrayList<>(keys(shard, "conf"));
        keys.add(unfinished(shard));
        return (String) scripts.call("offer/control", keys, List.of(LuaScripts.NEVER, action,
                "unknown-sale", version == null ? "-" : Long.toString(version),
                version == null ? CONTROL : "-", "-", "", ""));
    }

    /** The version of a change that others may not have followed; null for none. */
    String notedChange(int shard) {
        return scripts.redis().text("HGET", unfinished(shard), CONTROL);
    }

    /** Removes the note of a change; returns how many notes were removed. */
    long removeNote(int shard, long version) {
        return (Long) scripts.call("offer/followed", List.of(unfinished(shard)),
                List.of(CONTROL, Long.toString(version)));
    }

    private static List<String> keys(int shard, String... parts) {
        return List.of(parts).stream()
                .map(part -> SHARDS.get(shard).key("sale:" + SALE + ":" + part)).toList();
    }
}
