/** Measures the cost of the operators' console. */
package dev.rush.bench.console;
