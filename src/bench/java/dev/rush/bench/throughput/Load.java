package dev.rush.bench.throughput;

/**
 * A request that is sent repeatedly over keep-alive connections, each time by a new user.
 *
 * @param kind {@code get}, {@code post}, {@code key} or {@code webdis}, see bench/wrk.lua
 * @param prefix prefix of users and keys
 * @param body the body, may be empty; in a webdis command {@code %s} stands for the user and
 *             {@code %o} for an order id
 * @param pauseMillis mean pause of a connection after an answer; 0: none
 */
public record Load(String url, String kind, String prefix, String body, int pauseMillis) {

    /** Creates a load without pauses. */
    public Load(String url, String kind, String prefix, String body) {
        this(url, kind, prefix, body, 0);
    }

    /** Returns the same load with pauses. */
    Load paced(int millis) {
        return new Load(url, kind, prefix, body, millis);
    }

    /**
     * The result of a load.
     *
     * @param requests answered requests
     * @param refused answers with status 400 or higher
     * @param failed requests without an answer
     */
    public record Outcome(long requests, double seconds, long refused, long failed, double p50Ms,
            double p99Ms) {

        /** Returns the answers per second. */
        public double perSecond() {
            return requests / seconds;
        }
    }
}
