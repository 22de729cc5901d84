/**
 * The ledger: what PostgreSQL knows of sales, orders and grabs. An order is stored once and never
 * changed; what happens to it later is a step, a row, and sums change in the transaction that adds
 * what they count. Positions put all changes in one order.
 */
package dev.rush.ledger;
