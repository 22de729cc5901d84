/** Mends what reconciliation finds: what Redis lost, and what it has too much or too little of. */
package dev.rush.reconciliation.repair;
