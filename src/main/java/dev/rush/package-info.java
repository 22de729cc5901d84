/**
 * Rush sells a fixed supply to a crowd. The rooms are named after what owns the data; an arrow
 * means "may import", and nothing points back up.
 *
 * <pre>
 *   sale    what is sold: preparing, steering, reading, purchasing       → order, redis, http
 *   rain    red-packet rain: preparing, splitting, grabbing, board       → order, redis, http
 *   books   reconciliation, alarms, repair               → sale, rain, order, redis, http, metrics
 *   order   the ledger: stream to PostgreSQL, statuses, returns, expiry  → redis, http, metrics
 *   http    problems, who calls, rate limits, blocklist                  → redis
 *   redis   partitions, scripts, batching, outcome classes               → (the Redis client)
 *   metrics gauges that are absent while nobody knows                    → (nothing)
 * </pre>
 *
 * Configuration is {@link dev.rush.RushConfig}; how a request flows is told in docs/design.md.
 */
package dev.rush;
