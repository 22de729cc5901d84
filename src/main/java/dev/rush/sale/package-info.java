/**
 * Sales: what is sold, by whom it is prepared, steered and read, and what was bought. The decision
 * is {@code purchase.lua}'s; this package asks for it and says it in HTTP.
 */
package dev.rush.sale;
