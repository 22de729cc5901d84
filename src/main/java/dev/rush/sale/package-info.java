/**
 * Sales: preparing, controlling and reading them, and purchases. {@code purchase.lua} decides; this
 * package calls it and translates its reply to HTTP.
 */
@NullMarked
package dev.rush.sale;

import org.jspecify.annotations.NullMarked;
