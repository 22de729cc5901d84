/** Repairs what reconciliation finds: what Redis lost, and surplus or missing units. */
package dev.rush.reconciliation.repair;
