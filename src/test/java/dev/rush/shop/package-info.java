/** Runs examples/shop against a Rush: each step of a purchase, crashes, and lost answers. */
package dev.rush.shop;
