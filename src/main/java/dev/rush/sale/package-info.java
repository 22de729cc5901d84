/**
 * Sales: preparing, controlling and reading them, and purchases. {@code purchase.lua} decides; this
 * package calls it and translates its reply to HTTP.
 */
package dev.rush.sale;
