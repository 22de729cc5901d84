package dev.rush.bench.throughput;

/**
 * A request that is sent again and again over keep-alive connections, each time by someone new.
 *
 * @param kind {@code get}, {@code post}, {@code key} or {@code webdis}, as bench/wrk.lua says
 * @param prefix of users and keys
 * @param body may be empty; of a webdis command, {@code %s} stands for the user and {@code %o} for
 *             an order id
 * @param pauseMillis mean pause of a connection after an answer; 0: none
 */
public record Load(String url, String kind, String prefix, String body, int pauseMillis) {

    /** A load without pauses. */
    public Load(String url, String kind, String prefix, String body) {
        this(url, kind, prefix, body, 0);
    }

    /** The same load with pauses. */
    Load paced(int millis) {
        return new Load(url, kind, prefix, body, millis);
    }

    /**
     * What came of it.
     *
     * @param requests that were answered
     * @param refused answers of 400 and more
     * @param failed requests without an answer
     */
    public record Outcome(long requests, double seconds, long refused, long failed, double p50Ms,
            double p99Ms) {

        /** Answers a second. */
        public double perSecond() {
            return requests / seconds;
        }
    }
}
