/** What the operators' console costs. */
package dev.rush.bench.console;
