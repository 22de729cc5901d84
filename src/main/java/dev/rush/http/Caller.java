package dev.rush.http;

import java.util.Set;

/**
 * Who calls. Small by construction, because a pod remembers many thousands of callers.
 *
 * @param user     1 to 128 visible ASCII characters, but not {@code .} or {@code ..}
 * @param operator whether everything is allowed
 * @param payer    whether single orders of anyone may be read, confirmed and returned
 * @param auditor  whether everything that operators read may be read
 */
public record Caller(String user, boolean operator, boolean payer, boolean auditor) {

    private static final String OPERATOR = "operator";
    private static final String PAYER = "payer";
    private static final String AUDITOR = "auditor";

    /** The caller of this name and these groups; null if nobody can have this name. */
    static Caller of(String user, Set<String> groups) {
        if (!Texts.isUser(user)) {
            return null;
        }
        return groups == null ? new Caller(user, false, false, false)
                : new Caller(user, groups.contains(OPERATOR), groups.contains(PAYER),
                        groups.contains(AUDITOR));
    }

    /** A caller who may act for anyone, or only for this user. */
    public static Caller actingFor(String user, boolean anyone) {
        return new Caller(user, false, anyone, false);
    }

    /** Who this is, in the role that allows most, as changes name them: {@code operator:ann}. */
    public String actor() {
        return (operator ? OPERATOR : payer ? PAYER : "buyer") + ':' + user;
    }

    /** Whether this caller may read, confirm and return single orders of anyone. */
    public boolean actsForAnyone() {
        return operator || payer;
    }

    /** Whether this caller may read, confirm and return an order of {@code owner}. */
    public boolean mayActFor(String owner) {
        return actsForAnyone() || user.equals(owner);
    }

    /** Whether this caller may read what operators read. */
    public boolean audits() {
        return operator || auditor;
    }

    /** Whether the rate limit holds for this caller; it is there for buyers. */
    public boolean isLimited() {
        return !operator && !payer && !auditor;
    }
}
