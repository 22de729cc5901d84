/** Retires sales and rains that are over, archives their months, and erases users. */
@NullMarked
package dev.rush.reconciliation.retention;

import org.jspecify.annotations.NullMarked;
