/** The only package that runs SQL: named statements, their parameters, and their rows. */
package dev.rush.ledger.sql;
