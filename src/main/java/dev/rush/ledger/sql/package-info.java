/** The one place that runs SQL: statements by name, their parameters, and their rows. */
package dev.rush.ledger.sql;
