/**
 * Measuring: the load command, the comparison of ways to deduct stock, the throughput against
 * peers. Compiled with the tests, run by Maven profiles, no part of the production build.
 */
package dev.rush.bench;
