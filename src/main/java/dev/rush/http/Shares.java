package dev.rush.http;

import java.util.concurrent.ConcurrentHashMap;

/** How many each holds of what a pod bounds for all, so that nobody holds more than a share. */
public final class Shares {

    private final ConcurrentHashMap<String, Integer> held = new ConcurrentHashMap<>();
    private final int most;

    /** Each may hold so many. */
    public Shares(int most) {
        this.most = most;
    }

    /** Takes one more, unless that would be more than a share. The taker gives it back. */
    public boolean take(String who) {
        if (held.merge(who, 1, Integer::sum) > most) {
            giveBack(who);
            return false;
        }
        return true;
    }

    /** Gives one back that was taken. */
    public void giveBack(String who) {
        held.computeIfPresent(who, (key, count) -> count == 1 ? null : count - 1);
    }
}
