package dev.rush.http.limit;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A pod's copy of the blocklist: users, and the latest change that they include. One thread writes
 * it, any thread may read it; the version is never ahead of the users.
 */
final class BlocklistCopy {

    private final Set<String> users = ConcurrentHashMap.newKeySet();
    private volatile @Nullable String latest;

    /**
     * Creates an empty copy.
     *
     * @param latest the latest change before the users that will be loaded were read; null for none
     */
    BlocklistCopy(@Nullable String latest) {
        this.latest = latest;
    }

    boolean contains(String user) {
        return !users.isEmpty() && users.contains(user);
    }

    int size() {
        return users.size();
    }

    void load(Iterable<String> page) {
        page.forEach(users::add);
    }

    /** The version of the latest change, after which further changes are requested; 0 for none. */
    String version() {
        String change = latest;
        return change == null ? "0" : change.substring(0, change.indexOf(' '));
    }

    /**
     * Whether the changes that Redis has from this version on continue this copy. They do not if
     * Redis has trimmed the latest change of this copy, because too many came after it, or has lost
     * it, and perhaps given its version to another one.
     *
     * @param first the first of them; null for none
     */
    boolean isContinuedBy(@Nullable String first) {
        return latest == null ? first == null || first.startsWith("1 ") : latest.equals(first);
    }

    /** Applies a change; applying the latest one again changes nothing. */
    void apply(String change) {
        String[] words = change.split(" ");
        if (words[2].equals("add")) {
            users.add(words[3]);
        } else {
            users.remove(words[3]);
        }
        latest = change;
    }
}
