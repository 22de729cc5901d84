/**
 * Red-packet rains: splitting amounts, preparing and grabbing envelopes, leaderboards. {@code
 * grab.lua} decides.
 */
@NullMarked
package dev.rush.rain;

import org.jspecify.annotations.NullMarked;
