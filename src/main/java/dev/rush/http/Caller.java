package dev.rush.http;

import java.util.Set;

/**
 * Who calls. Small by construction, because a pod remembers many thousands of callers.
 *
 * @param user     1 to 128 visible ASCII characters
 * @param operator whether operators' calls are allowed
 */
public record Caller(String user, boolean operator) {

    private static final String OPERATOR = "operator";

    /** The caller of this name and these groups; null if nobody can have this name. */
    static Caller of(String user, Set<String> groups) {
        return Texts.isVisible(user)
                ? new Caller(user, groups != null && groups.contains(OPERATOR)) : null;
    }

    /** Whether this caller may see and act on what belongs to {@code owner}. */
    public boolean mayActFor(String owner) {
        return operator || user.equals(owner);
    }
}
