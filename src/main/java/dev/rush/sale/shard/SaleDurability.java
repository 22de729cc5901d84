package dev.rush.sale.shard;

/** Determines whether replicas must confirm a sale's purchases before they are answered. */
public interface SaleDurability {

    /**
     * Whether replicas must confirm this sale's purchases.
     *
     * @param scan a scan of its shards, used if this pod has no view of the sale
     */
    boolean isReplicated(String sale, ShardScan scan);
}
