/** Rains: preparing and splitting, steering and reading, grabbing, leaderboard. */
package dev.rush.rain;
