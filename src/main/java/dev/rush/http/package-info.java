/**
 * The HTTP edge: problems, callers, JSON, limits of bodies and connections, event streams. It
 * decides nothing about sales.
 */
@NullMarked
package dev.rush.http;

import org.jspecify.annotations.NullMarked;
