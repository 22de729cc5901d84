/**
 * Sales in several shards: scans of all shards, transfers of units between them, and borrowing for
 * a buyer whose home shard has too few. A unit is in one shard or in transfer, never in two shards.
 */
@NullMarked
package dev.rush.sale.shard;

import org.jspecify.annotations.NullMarked;
