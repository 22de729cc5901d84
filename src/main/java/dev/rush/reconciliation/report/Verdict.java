package dev.rush.reconciliation.report;

import com.fasterxml.jackson.annotation.JsonValue;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The verdict of the books, worst last. */
@Schema(description = "Whether Redis and the ledger agree")
public enum Verdict {
    /** Redis and the ledger agree. */
    BALANCED("balanced"),
    /** Units are deducted in Redis that no order has. */
    UNDERSOLD("undersold"),
    /** Redis offers units that are ordered, or more are ordered than there are. */
    OVERSOLD("oversold"),
    /** Redis has lost the stock. */
    NOT_LOADED("not-loaded");

    private final String text;

    Verdict(String text) {
        this.text = text;
    }

    /** The verdict as spelled in answers. */
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
