/**
 * The data of Rush in Redis: partitions, their keys and slots, scripts, replies, the layout.
 * Connections are not part of it: {@code redis.cluster} sends calls to the right master, and {@code
 * redis.batch} batches requests into calls.
 */
@NullMarked
package dev.rush.redis;

import org.jspecify.annotations.NullMarked;
