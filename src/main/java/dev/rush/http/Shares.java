package dev.rush.http;

import java.util.concurrent.ConcurrentHashMap;

/** Limits the share of a pod's resource that a single client may hold at once. */
public final class Shares {

    private final ConcurrentHashMap<String, Integer> held = new ConcurrentHashMap<>();
    private final int max;
    private final Problem refusal;

    /**
     * Creates shares with a maximum per client.
     *
     * @param policy            the limit's name in RateLimit-Policy
     * @param detail            tells a client that it holds its whole share
     * @param retryAfterSeconds the time after which such a client should retry
     */
    public Shares(int max, String policy, String detail, int retryAfterSeconds) {
        this.max = max;
        refusal = Problem.rateLimited(detail, policy,
                "q=" + max + ";qu=\"concurrent-requests\"", retryAfterSeconds);
    }

    /** Takes one more, unless that would exceed the share. The caller must give it back. */
    public boolean take(String client) {
        if (held.merge(client, 1, Integer::sum) > max) {
            giveBack(client);
            return false;
        }
        return true;
    }

    /** The refusal of a client that holds its whole share. */
    public Problem refusal() {
        return refusal;
    }

    /** Gives one back that was taken. */
    public void giveBack(String client) {
        held.computeIfPresent(client, (key, count) -> count == 1 ? null : count - 1);
    }
}
