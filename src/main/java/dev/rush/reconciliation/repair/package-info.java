/** Repairs what reconciliation finds: what Redis lost, and surplus or missing units. */
@NullMarked
package dev.rush.reconciliation.repair;

import org.jspecify.annotations.NullMarked;
