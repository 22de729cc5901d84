package dev.rush.redis;

import dev.rush.RushConfig;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * The fixed division of the keyspace. Partition <i>i</i> of <i>n</i> is in the <i>i</i>-th of n
 * equal ranges of the slots, so that partitions spread evenly over any even cluster.
 */
@Singleton
public class Partitions {

    /** The separate partition of the blocklist, without a number. */
    public static final Partition BLOCKLIST = new Partition(-1, "blocklist");

    /** The separate partition of the pods' status reports. */
    public static final Partition STATUS = new Partition(-1, "status");

    private final List<Partition> all;

    @Inject
    Partitions(RushConfig config) {
        this(config.partitions());
    }

    /** Divides the keyspace into {@code count} partitions, 1 to 1024. */
    public Partitions(int count) {
        List<Partition> partitions = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            partitions.add(create(i, count));
        }
        all = List.copyOf(partitions);
    }

    private static Partition create(int index, int count) {
        int from = (int) ((long) index * Slots.COUNT / count);
        int to = (int) ((long) (index + 1) * Slots.COUNT / count);
        // String.format would take a fortieth of the executable's start-up time.
        String base = (index < 10 ? "p0" : "p") + index;
        String tag = base;
        for (int k = 1;; k++) {
            int slot = Slots.of(tag);
            if (slot >= from && slot < to) {
                return new Partition(index, tag);
            }
            tag = base + "." + k;
        }
    }

    /** The partition that holds the sale or rain of this id. */
    public Partition of(String id) {
        CRC32 crc = new CRC32();
        crc.update(id.getBytes(StandardCharsets.UTF_8));
        return all.get((int) (crc.getValue() % all.size()));
    }

    /**
     * The partitions of a sale's shards: equally far apart, so that they are on different masters.
     *
     * @param count 1 to the number of partitions
     */
    public Shards shards(String id, int count) {
        int first = of(id).index();
        List<Partition> shards = new ArrayList<>(count);
        for (int shard = 0; shard < count; shard++) {
            shards.add(all.get((first + shard * all.size() / count) % all.size()));
        }
        return new Shards(List.copyOf(shards));
    }

    /** All partitions, by index. */
    public List<Partition> all() {
        return all;
    }

    /** The number of partitions. */
    public int count() {
        return all.size();
    }
}
