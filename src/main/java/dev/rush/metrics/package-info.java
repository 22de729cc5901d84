/** Kinds of metrics that Micrometer does not have. */
package dev.rush.metrics;
