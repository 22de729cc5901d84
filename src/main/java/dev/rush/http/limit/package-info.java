/** Refusals before a decision: the rate limit and the blocklist, both from memory. */
package dev.rush.http.limit;
