package dev.rush.sale.shard;

/**
 * A transfer of units between two shards of a sale: taken from one and perhaps not given to the
 * other yet.
 *
 * @param id          unique
 * @param source      number of the shard that they were taken from, which stores the note
 * @param generation  of the sale's stock, so that a rebuild ends all earlier transfers
 * @param destination number of the shard that gets them
 * @param ageMs       how long ago they were taken, in whole seconds
 */
public record Transfer(String id, int source, String generation, int destination, String sku,
        long units, long ageMs) {

    /** Parses the source's note of a transfer. */
    static Transfer of(String id, int source, String entry, long now) {
        String[] words = entry.split(" ");
        return new Transfer(id, source, words[0], Integer.parseInt(words[1]), words[2],
                Long.parseLong(words[3]), now - 1000 * Long.parseLong(words[4]));
    }
}
