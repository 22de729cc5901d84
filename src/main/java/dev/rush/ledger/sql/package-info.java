/** The only package that runs SQL: named statements, their parameters, and their rows. */
@NullMarked
package dev.rush.ledger.sql;

import org.jspecify.annotations.NullMarked;
