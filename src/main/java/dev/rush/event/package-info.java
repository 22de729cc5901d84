/**
 * What the journal says, as CloudEvents: one reader, and the ways by which events leave the
 * service. Each event is delivered at least once, and those of one subject in their order.
 */
package dev.rush.event;
