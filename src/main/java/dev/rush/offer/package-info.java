/**
 * What sales and rains share: states, views, lists, outcomes of a decision, recent refusals,
 * steering.
 */
package dev.rush.offer;
