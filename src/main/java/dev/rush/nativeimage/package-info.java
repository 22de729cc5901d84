/**
 * Substitutions in the native executable, each with its reason and when it can go. Nothing depends
 * on them, and the jar runs without them.
 */
package dev.rush.nativeimage;
