/**
 * {@code ./mvnw -Pshards}: what one hot sale costs Redis when it lies in k shards on k masters, by
 * purchases per second of each master's processor time.
 */
package dev.rush.bench.shards;
