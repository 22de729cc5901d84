/**
 * Sales: what is sold, how it is prepared, controlled and read, and what was bought.
 * {@code purchase.lua} decides; this package calls it and translates its reply to HTTP.
 */
package dev.rush.sale;
