/**
 * Who is turned away before anything is decided: the rate limit and the blocklist, both from
 * memory.
 */
package dev.rush.http.limit;
