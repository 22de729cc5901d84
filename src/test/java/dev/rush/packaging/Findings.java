package dev.rush.packaging;

import java.util.ArrayList;
import java.util.List;

/**
 * What breaks a rule, sentence by sentence.
 *
 * @param all     of the rule so far
 * @param subject whom the next sentences are about
 */
record Findings(List<String> all, String subject) {

    Findings() {
        this(new ArrayList<>(), "");
    }

    /** The same findings, whose next ones are about something. */
    Findings about(String name) {
        return new Findings(all, name + " ");
    }

    /** Holds the rule to something; what is said is what is found where that is not so. */
    void demand(boolean held, String finding) {
        if (!held) {
            all.add(subject + finding);
        }
    }
}
