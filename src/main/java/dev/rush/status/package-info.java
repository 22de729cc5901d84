/** The status of each pod, its Redis and its ledger, for operators. */
@NullMarked
package dev.rush.status;

import org.jspecify.annotations.NullMarked;
