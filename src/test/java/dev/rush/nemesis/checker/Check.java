package dev.rush.nemesis.checker;

/** Checks one or a few invariants. */
interface Check {
    void check(Evidence evidence, Findings findings);
}
