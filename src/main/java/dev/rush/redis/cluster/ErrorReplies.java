package dev.rush.redis.cluster;

import dev.rush.redis.Layout;
import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import io.vertx.redis.client.Response;
import java.util.Optional;
import java.util.Set;

/** Classifies the errors of calls. The table is in docs/design.md. */
public final class ErrorReplies {

    /** Error replies after which a call certainly ran nothing. */
    private static final Set<String> RAN_NOTHING = Set.of(
            "NOSCRIPT", "LOADING", "BUSY", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK", "READONLY",
            "MASTERDOWN", "NOAUTH", "NOPERM", "WRONGPASS", "OOM", "NOREPLICAS", "MISCONF",
            Layout.ERROR);

    /** Error replies of a Redis that takes no writes, which lasts for a while. */
    private static final Set<String> LASTING = Set.of(
            "OOM", "NOREPLICAS", "MISCONF", Layout.ERROR);

    /** Messages of Vert.x's client for calls that it did not write to the socket. */
    private static final Set<String> NOT_SENT = Set.of(
            "Connection is closed", "Redis waiting queue is full");

    private ErrorReplies() {
    }

    /** The class of a failed call. The reason never repeats the command. */
    public static RedisFailure classify(Throwable cause) {
        if (cause instanceof RedisFailure failure) {
            return failure;
        }
        String message = String.valueOf(cause.getMessage());
        if (isReply(cause)) {
            String code = code(message);
            if (code.equals("CONNECTION_CLOSED")) {
                return new RedisFailure(OutcomeClass.UNKNOWN, "connection lost");
            }
            return new RedisFailure(
                    RAN_NOTHING.contains(code) ? OutcomeClass.NOTHING_HAPPENED
                            : OutcomeClass.HALF_DONE, code,
                    LASTING.contains(code) && !message.equals(Layout.ERROR_NONE));
        }
        if (NOT_SENT.contains(message)) {
            return new RedisFailure(OutcomeClass.NOTHING_HAPPENED, message);
        }
        return new RedisFailure(OutcomeClass.UNKNOWN, cause.getClass().getSimpleName());
    }

    /** Whether it is an error reply, or CONNECTION_CLOSED, which the client reports like one. */
    static boolean isReply(Throwable cause) {
        return cause instanceof Response;
    }

    /** Whether a node has answered that it is not the master of a slot. */
    static boolean isMoved(Throwable cause) {
        return isReply(cause) && code(String.valueOf(cause.getMessage())).equals("MOVED");
    }

    /**
     * The endpoint of "MOVED slot host:port" or "ASK slot host:port"; empty if it is invalid.
     *
     * @param asked the node that answered
     */
    static Optional<Endpoint> redirection(String message, Endpoint asked) {
        String[] words = message.split(" ");
        return words.length < 3 ? Optional.empty() : Endpoint.parse(words[2], asked);
    }

    /** The first word of an error reply, which is its code. */
    static String code(String message) {
        int blank = message.indexOf(' ');
        return blank < 0 ? message : message.substring(0, blank);
    }
}
