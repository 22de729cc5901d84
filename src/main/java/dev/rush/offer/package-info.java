/**
 * What sales and rains have in common: states, views, lists, outcomes, recent refusals, control.
 */
package dev.rush.offer;
