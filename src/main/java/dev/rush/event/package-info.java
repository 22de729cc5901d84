/**
 * Reads the journal as CloudEvents and delivers them by feed, webhooks and Kafka. Each event is
 * delivered at least once, and the events of one subject in order.
 */
@NullMarked
package dev.rush.event;

import org.jspecify.annotations.NullMarked;
