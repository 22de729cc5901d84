/**
 * The ledger: sales, orders and grabs in PostgreSQL. An order is stored once and never changed.
 * Each later change is a step, a row of its own, and sums change in the transaction that adds what
 * they count. Positions put all changes in one order.
 */
@NullMarked
package dev.rush.ledger;

import org.jspecify.annotations.NullMarked;
