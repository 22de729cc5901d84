/**
 * Rush sells a fixed supply to a crowd. The rooms are named after what owns the data; which
 * may know which is said, and held by a test, in docs/design.md.
 *
 * <pre>
 *   books          reconciliation, alarms, repair
 *   sale           what is sold: preparing, steering, reading, purchasing
 *   sale.shard     what a sale in shards adds: borrowing, transfers
 *   rain           red-packet rain: preparing, splitting, grabbing, board
 *   offer          what sales and rains share: state, views, steering
 *   order          the ledger: stream to PostgreSQL, statuses, returns, expiry
 *   http           problems, who calls, rate limits, blocklist
 *   redis.batch    joins requests into script calls
 *   redis.cluster  finds the master of a slot; connections, outcome classes
 *   redis          partitions, scripts, replies
 *   metrics        gauges that are absent while nobody knows
 * </pre>
 *
 * Configuration is {@link dev.rush.RushConfig}; how a request flows is told in docs/design.md.
 */
package dev.rush;
