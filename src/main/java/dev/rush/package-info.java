/**
 * Rush sells a fixed supply to a crowd. Rooms are named after what owns the data; docs/design.md
 * lists them, says which may import which, and tells how a request flows. RoomsTest checks the
 * arrows. Configuration is {@link dev.rush.RushConfig}.
 */
package dev.rush;
