/**
 * The scripts beside small models of what they promise, under random calls on a real Redis. A gate
 * is the only class here that knows how a script is called and where it keeps what; models and
 * workloads speak of promises alone, so they outlive a change of the layout.
 */
package dev.rush.scripts;
