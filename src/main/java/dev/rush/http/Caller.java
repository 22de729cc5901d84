package dev.rush.http;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The caller of a request. Kept small, because a pod caches many thousands of callers.
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

    /** The caller with this name and these groups; null if the name is invalid. */
    static @Nullable Caller of(String user, Set<String> groups) {
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

    /** The actor of changes, in the role with the most rights: {@code operator:ann}. */
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

    /**
     * Whether this caller may make every GET that operators may, except single orders of other
     * users ({@link #actsForAnyone}).
     */
    public boolean audits() {
        return operator || auditor;
    }

    /** Whether the limits per user apply to this caller; they apply only to buyers. */
    public boolean isLimited() {
        return !operator && !payer && !auditor;
    }
}
