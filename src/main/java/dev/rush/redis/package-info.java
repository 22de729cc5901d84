/**
 * What Rush keeps in Redis and how it is named: partitions, their keys and slots, scripts,
 * replies, the layout. It knows nothing of connections; {@code redis.cluster} brings calls to the
 * right master, and {@code redis.batch} joins requests into calls.
 */
package dev.rush.redis;
