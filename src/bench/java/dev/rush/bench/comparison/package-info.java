/**
 * Compares published ways of deducting stock in Redis on real servers. Damage is counted from the
 * data that a run leaves.
 */
package dev.rush.bench.comparison;
