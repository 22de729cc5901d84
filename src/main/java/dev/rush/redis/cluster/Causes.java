package dev.rush.redis.cluster;

import dev.rush.redis.RedisFailure;
import java.io.IOException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.util.Map;

/**
 * Why Redis cannot be used, in words fit for a log and a health check. They contain neither
 * commands nor URIs, because an old server quotes HELLO with its password, and a URI may contain
 * one.
 */
final class Causes {

    private static final int DEPTH_MAX = 10;
    private static final int LENGTH_MAX = 200;
    /** The JDK's message for a certificate that does not name an IP address. */
    private static final String ADDRESS_REFUSED = "matching IP address";
    private static final String ANNOUNCE_NAMES = " (where certificates name hosts, let each node"
            + " announce its own: cluster-announce-hostname, and cluster-preferred-endpoint-type"
            + " hostname)";
    private static final Map<String, String> HINTS = Map.of(
            "WRONGPASS", "user or password is wrong",
            "NOAUTH", "a password is required",
            "NOPERM", "the ACL user lacks a permission",
            "LOADING", "Redis is still loading its data",
            "MASTERDOWN", "the replica has lost its master",
            "CLUSTERDOWN", "the cluster is down");

    private Causes() {
    }

    /** A short reason, from the innermost exception with a message. */
    static String of(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; i < DEPTH_MAX && cause.getCause() != null; i++) {
            cause = cause.getCause();
        }
        if (ErrorReplies.isReply(cause)) {
            String code = ErrorReplies.code(String.valueOf(cause.getMessage()));
            return HINTS.containsKey(code) ? code + ", " + HINTS.get(code) : code;
        }
        if (cause instanceof RedisFailure known) {
            return known.getMessage();
        }
        if (cause instanceof UnknownHostException) {
            return "the host name is not known";
        }
        if (cause instanceof IOException || cause instanceof GeneralSecurityException) {
            String text = cause.getClass().getSimpleName() + ", " + cause.getMessage();
            return (text.length() <= LENGTH_MAX ? text : text.substring(0, LENGTH_MAX))
                    + (text.contains(ADDRESS_REFUSED) ? ANNOUNCE_NAMES : "");
        }
        return cause.getClass().getSimpleName();
    }
}
