/**
 * What a sale in several shards adds: looks at all shards, transfers of units between them, and
 * borrowing for a buyer whose home shard has too few. A unit is in one shard or on its way, never
 * in two.
 */
package dev.rush.sale.shard;
