/**
 * The HTTP edge: problems, callers, JSON, limits of bodies and connections, event streams. It
 * decides nothing about sales.
 */
package dev.rush.http;
