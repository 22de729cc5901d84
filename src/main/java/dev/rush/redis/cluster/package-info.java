/**
 * Brings a call to the master of its slot, over one connection per event loop and node.
 * Redirections, failovers and unknown scripts are followed; every call ends, and a failure says
 * whether anything can have happened ({@link dev.rush.redis.OutcomeClass}).
 */
package dev.rush.redis.cluster;
