/** Kinds of metrics that the library does not have. */
package dev.rush.metrics;
