/**
 * The edge: problems, callers, JSON, bounds of bodies and connections, events. It decides nothing
 * about sales.
 */
package dev.rush.http;
