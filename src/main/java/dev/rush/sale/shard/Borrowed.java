package dev.rush.sale.shard;

/** The result of borrowing units for a shard. */
public sealed interface Borrowed {

    /** The units may be there now; the caller must retry at the shard. */
    record Brought() implements Borrowed {
    }

    /** All shards together have some units of an item, but fewer than requested. */
    record Insufficient(String sku, long left) implements Borrowed {
    }

    /** No shard has any of an item left. */
    record SoldOut(String sku) implements Borrowed {
    }

    /** Redis has lost a shard. */
    record NotLoaded() implements Borrowed {
    }

    /** Redis failed, or did not answer in time. */
    record Unavailable() implements Borrowed {
    }
}
