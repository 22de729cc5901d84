package dev.rush.sale.shard;

/** Knows when what is granted of a sale is answered. */
public interface SaleDurability {

    /**
     * Whether replicas must have it before.
     *
     * @param look at its shards, which tells it where this pod has no view
     */
    boolean isReplicated(String sale, ShardLook look);
}
