/** Kinds of metrics that Micrometer does not have. */
@NullMarked
package dev.rush.metrics;

import org.jspecify.annotations.NullMarked;
