package dev.rush.nemesis.checker;

/** Judges one or a few invariants. */
interface Check {
    void judge(Evidence evidence, Findings findings);
}
