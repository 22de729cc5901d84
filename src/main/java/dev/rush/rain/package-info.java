/**
 * Red-packet rains: how an amount is split, how envelopes are prepared and grabbed, and who got
 * most. The decision is {@code grab.lua}'s.
 */
package dev.rush.rain;
