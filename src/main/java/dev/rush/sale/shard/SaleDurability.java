package dev.rush.sale.shard;

/** Knows when what is granted of a sale is answered. */
public interface SaleDurability {

    /** Whether replicas must have it before. */
    boolean isReplicated(String sale);
}
