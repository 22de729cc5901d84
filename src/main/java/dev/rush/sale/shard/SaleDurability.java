package dev.rush.sale.shard;

/** Tells whether replicas must confirm what a sale grants before it is answered. */
public interface SaleDurability {

    /**
     * Whether they must.
     *
     * @param look at its shards; used where this pod has no view of the sale
     */
    boolean isReplicated(String sale, ShardLook look);
}
