/**
 * Compares the scripts with small models of their promises, under random calls on a real Redis.
 * Only gates know how a script is called and where it keeps its data; models and workloads know
 * only the promises, so they outlive a change of the layout.
 */
package dev.rush.scripts;
