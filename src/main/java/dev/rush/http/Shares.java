package dev.rush.http;

import java.util.concurrent.ConcurrentHashMap;

/** Limits the share of a pod's resource that a single client may hold. */
public final class Shares {

    private final ConcurrentHashMap<String, Integer> held = new ConcurrentHashMap<>();
    private final int max;

    /** Creates shares with a maximum per client. */
    public Shares(int max) {
        this.max = max;
    }

    /** Takes one more, unless that would exceed the share. The caller must give it back. */
    public boolean take(String client) {
        if (held.merge(client, 1, Integer::sum) > max) {
            giveBack(client);
            return false;
        }
        return true;
    }

    /** Gives one back that was taken. */
    public void giveBack(String client) {
        held.computeIfPresent(client, (key, count) -> count == 1 ? null : count - 1);
    }
}
