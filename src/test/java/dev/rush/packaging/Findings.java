package dev.rush.packaging;

import java.util.ArrayList;
import java.util.List;

/**
 * The violations of one rule, as sentences.
 *
 * @param all     all findings so far, shared by all subjects
 * @param subject prefix of the findings added through this instance
 */
record Findings(List<String> all, String subject) {

    Findings() {
        this(new ArrayList<>(), "");
    }

    /** Returns a view that adds to the same list, each finding beginning with this name. */
    Findings about(String name) {
        return new Findings(all, name + " ");
    }

    /** Adds the finding unless the condition holds. */
    void demand(boolean condition, String finding) {
        if (!condition) {
            all.add(subject + finding);
        }
    }
}
