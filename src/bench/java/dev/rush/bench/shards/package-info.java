/**
 * {@code ./mvnw -Pshards}: measures one hot sale in k shards on k masters, in purchases per second
 * of CPU time of each master.
 */
package dev.rush.bench.shards;
