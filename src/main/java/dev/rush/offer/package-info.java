/**
 * What sales and rains have in common: states, views, lists, outcomes, recent refusals, control.
 */
@NullMarked
package dev.rush.offer;

import org.jspecify.annotations.NullMarked;
