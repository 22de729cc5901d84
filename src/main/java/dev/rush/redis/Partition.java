package dev.rush.redis;

/**
 * One of the fixed parts of the keyspace. All its keys carry its hash tag, so they lie in one slot
 * and one script may touch any of them.
 *
 * @param index 0 to the number of partitions − 1
 * @param tag   the hash tag without braces, for example {@code p07.3}
 * @param slot  the cluster slot of the tag, 0 to 16383
 */
public record Partition(int index, String tag, int slot) {

    /** The full key of {@code name} in this partition: {@code rush:{p07.3}:name}. */
    public String key(String name) {
        return "rush:{" + tag + "}:" + name;
    }

    /** The partition's stream of accepted orders and grabs. */
    public String orders() {
        return key("orders");
    }

    /** The notes of what somebody is doing to several shards of a sale. */
    public String unfinished() {
        return key("unfinished");
    }

    /** The count of orders and grabs that this partition ever accepted. */
    public String sequence() {
        return key("seq");
    }
}
