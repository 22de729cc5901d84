/**
 * Benchmarks and the load command. They are compiled with the tests and run by Maven profiles, and
 * are not part of the production build.
 */
package dev.rush.bench;
