/**
 * Events: the journal as CloudEvents, with one reader, and delivery by feed, webhooks and Kafka.
 * Each event is delivered at least once, and events of one subject in order.
 */
@NullMarked
package dev.rush.event;

import org.jspecify.annotations.NullMarked;
