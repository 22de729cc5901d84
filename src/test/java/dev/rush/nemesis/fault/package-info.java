/** The faults that the nemesis injects, one class each, with the promises that each weakens. */
package dev.rush.nemesis.fault;
