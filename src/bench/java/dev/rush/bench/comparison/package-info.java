/**
 * The published ways of deducting stock in Redis, run against real servers, their damage counted
 * from the data they leave.
 */
package dev.rush.bench.comparison;
