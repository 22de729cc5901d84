/**
 * Red-packet rains: splitting amounts, preparing and grabbing envelopes, leaderboards. {@code
 * grab.lua} decides.
 */
package dev.rush.rain;
