/**
 * Sends a call to the master of its slot, over one connection per event loop and node. It handles
 * redirections, failovers and missing scripts. Every call ends, and a failure says whether anything
 * can have happened ({@link dev.rush.redis.OutcomeClass}).
 */
@NullMarked
package dev.rush.redis.cluster;

import org.jspecify.annotations.NullMarked;
