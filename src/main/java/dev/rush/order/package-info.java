/**
 * The ledger: what PostgreSQL knows of sales, orders and grabs, and how it comes to know it. The
 * writer moves accepted orders from Redis's streams into it; statuses, expiry and credits start
 * from its rows. No purchase and no grab waits for it.
 */
package dev.rush.order;
