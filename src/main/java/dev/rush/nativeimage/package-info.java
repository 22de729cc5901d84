/**
 * Substitutions in the native executable, each with its reason and the condition under which it can
 * be removed. Nothing depends on them, and the jar runs without them.
 */
@NullMarked
package dev.rush.nativeimage;

import org.jspecify.annotations.NullMarked;
