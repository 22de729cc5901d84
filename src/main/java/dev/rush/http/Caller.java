package dev.rush.http;

/**
 * Who calls.
 *
 * @param user     1 to 128 visible ASCII characters
 * @param operator whether operators' calls are allowed
 */
public record Caller(String user, boolean operator) {

    /** Whether this caller may see and act on what belongs to {@code owner}. */
    public boolean mayActFor(String owner) {
        return operator || user.equals(owner);
    }
}
