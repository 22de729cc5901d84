/**
 * Rush sells a fixed supply to a crowd. The rooms are named after what owns the data;
 * docs/design.md says which may import which, and a test checks it.  <pre> books
 * reconciliation, alarms, repair sale           what is sold: preparing, steering, reading,
 * purchasing sale.shard     what a sale in shards adds: borrowing, transfers rain
 * red-packet rain: preparing, splitting, grabbing, leaderboard offer          what sales and rains
 * share: state, views, steering order          the ledger: stream to PostgreSQL, statuses,
 * returns, expiry http.limit     rate limit and blocklist http           problems, callers, JSON,
 * bounds, events redis.batch    joins requests into script calls redis.cluster  finds the master
 * of a slot; connections, health, clocks redis          partitions, scripts, replies, layout,
 * outcome classes metrics        gauges that are absent while nobody knows nativeimage
 * substitutions in the native executable </pre>  Configuration is {@link dev.rush.RushConfig}; how
 * a request flows is told in docs/design.md.
 */
package dev.rush;
