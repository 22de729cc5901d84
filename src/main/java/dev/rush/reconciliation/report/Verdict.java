package dev.rush.reconciliation.report;

import com.fasterxml.jackson.annotation.JsonValue;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** What the books say, worst last. */
@Schema(description = "Whether Redis and the ledger agree")
public enum Verdict {
    /** Redis and the ledger agree. */
    BALANCED("balanced"),
    /** Units are deducted in Redis that nobody has. */
    UNDERSOLD("undersold"),
    /** Units are ordered that Redis offers again, or that were never there. */
    OVERSOLD("oversold"),
    /** Redis has lost the stock. */
    NOT_LOADED("not-loaded");

    private final String text;

    Verdict(String text) {
        this.text = text;
    }

    /** The verdict as answers spell it. */
    @JsonValue
    public String text() {
        return text;
    }

    static Verdict ofDrift(long drift) {
        return drift == 0 ? BALANCED : drift > 0 ? UNDERSOLD : OVERSOLD;
    }

    Verdict orWorse(Verdict other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
