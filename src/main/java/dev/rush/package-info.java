/**
 * Rush sells a fixed supply to a crowd. This package contains the configuration, {@link
 * dev.rush.RushConfig}, and its checks at start. The packages below are named after the data that
 * they own; docs/design.md lists them and their allowed dependencies.
 */
@NullMarked
package dev.rush;

import org.jspecify.annotations.NullMarked;
