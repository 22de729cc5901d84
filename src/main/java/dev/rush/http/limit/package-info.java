/** Refusals before a decision: the rate limit and the blocklist, both from memory. */
@NullMarked
package dev.rush.http.limit;

import org.jspecify.annotations.NullMarked;
