package dev.rush.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One of the fixed parts of the keyspace. All its keys have its hash tag, so they are in one slot
 * and one script may touch any of them. Only {@link Partitions} creates partitions.
 */
public final class Partition {

    private final int index;
    private final String tag;
    private final int slot;
    private final String layoutKey;

    Partition(int index, String tag) {
        this.index = index;
        this.tag = tag;
        this.slot = Slots.of(tag);
        this.layoutKey = key(Layout.NAME);
    }

    /** 0 to the number of partitions − 1; −1 for a separate one. */
    public int index() {
        return index;
    }

    /** The hash tag without braces, for example {@code p07.3}. */
    public String tag() {
        return tag;
    }

    /** The cluster slot of the tag, 0 to 16383. */
    public int slot() {
        return slot;
    }

    /** The key {@code name} of this partition: {@code rush:{p07.3}:name}. */
    public String key(String name) {
        return "rush:{" + tag + "}:" + name;
    }

    /** The key of this partition's layout. */
    String layoutKey() {
        return layoutKey;
    }

    /** An empty list of this partition's keys, to be extended. */
    public Keys keys() {
        return new Keys(this, List.of());
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Partition partition && index == partition.index
                && tag.equals(partition.tag);
    }

    @Override
    public int hashCode() {
        return tag.hashCode();
    }

    @Override
    public String toString() {
        return tag;
    }

    /**
     * Keys of one partition, in the order in which a script or command takes them. Calls take keys
     * only in this form and only a partition creates them, so no call has keys of two slots and
     * each goes to the slot of its keys.
     */
    public static final class Keys {
        private final Partition partition;
        private final List<String> texts;

        private Keys(Partition partition, List<String> texts) {
            this.partition = partition;
            this.texts = texts;
        }

        /** The partition of all these keys. */
        public Partition partition() {
            return partition;
        }

        /** The keys as texts. */
        public List<String> texts() {
            return texts;
        }

        /** These, and the partition's keys of these names. */
        public Keys named(String... names) {
            return and("", names);
        }

        /** These, and keys of one sale; {@code parts} are as in docs/design.md. */
        public Keys sale(String sale, String... parts) {
            return and("sale:" + sale + ":", parts);
        }

        /** These, and keys of one rain; {@code parts} are as in docs/design.md. */
        public Keys rain(String rain, String... parts) {
            return and("rain:" + rain + ":", parts);
        }

        /** These, and the partition's stream of accepted orders and grabs. */
        public Keys orders() {
            return named("orders");
        }

        /** These, and the partition's sequence of accepted orders and grabs. */
        public Keys sequence() {
            return named("seq");
        }

        /** These, and the notes of unfinished operations on several shards of a sale. */
        public Keys unfinished() {
            return named("unfinished");
        }

        private Keys and(String begin, String... names) {
            List<String> all = new ArrayList<>(texts);
            for (String name : names) {
                all.add(partition.key(begin + name));
            }
            return new Keys(partition, Collections.unmodifiableList(all));
        }

        @Override
        public boolean equals(Object other) {
            return this == other || other instanceof Keys keys && texts.equals(keys.texts);
        }

        @Override
        public int hashCode() {
            return texts.hashCode();
        }

        @Override
        public String toString() {
            return String.join(" ", texts);
        }
    }
}
