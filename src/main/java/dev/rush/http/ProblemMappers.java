package dev.rush.http;

import dev.rush.redis.RedisFailure;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Inject;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Request;
import jakarta.ws.rs.core.Response;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Maps every failure to a problem, wherever it was detected. */
public class ProblemMappers {

    private static final Logger LOG = Logger.getLogger(ProblemMappers.class);
    private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");
    /** What anyone may read. */
    private static final Pattern PUBLIC =
            Pattern.compile("/v1/(sales|rains)/[^/]+(/events|/leaderboard)?");

    private final Callers callers;

    @Inject
    ProblemMappers(Callers callers) {
        this.callers = callers;
    }

    /**
     * The REST layer has its own mapper for these, which would take precedence over the general
     * one. It matches media types before any filter, but a missing identity is refused before a
     * wrong media type.
     */
    @ServerExceptionMapper
    Response http(WebApplicationException e, Request call, RoutingContext routing) {
        int status = e.getResponse().getStatus();
        if ((status == 406 || status == 415) && requiresIdentity(call, routing)) {
            try {
                callers.require(routing.request());
            } catch (ProblemException unauthenticated) {
                return unauthenticated.problem().response();
            }
        }
        return answer(e).response();
    }

    private static boolean requiresIdentity(Request call, RoutingContext routing) {
        String path = routing.normalizedPath();
        return path.startsWith("/v1/")
                && !(READS.contains(call.getMethod()) && PUBLIC.matcher(path).matches());
    }

    @ServerExceptionMapper
    Response any(Exception e, Request request) {
        return answer(e, READS.contains(request.getMethod())).response();
    }

    /**
     * The answer to a failure.
     *
     * @param onlyReads whether the call changes nothing
     */
    static Answer answer(Throwable failure, boolean onlyReads) {
        if (failure instanceof CompletionException && failure.getCause() != null) {
            return answer(failure.getCause(), onlyReads);
        }
        if (failure instanceof ProblemException refusal) {
            return refusal.problem().answer();
        }
        if (failure instanceof RedisFailure redis) {
            return problem(redis, onlyReads).answer();
        }
        if (failure instanceof WebApplicationException web) {
            return answer(web);
        }
        LOG.error("A request failed", failure);
        return Problem.of(OutcomeCode.FAILED).answer();
    }

    private static Answer answer(WebApplicationException e) {
        int status = e.getResponse().getStatus();
        if (status >= 500) {
            LOG.error("A request failed", e);
        }
        Answer answer = Problem.of(switch (status) {
            case 405 -> OutcomeCode.METHOD_NOT_ALLOWED;
            case 406 -> OutcomeCode.NOT_ACCEPTABLE;
            case 413 -> OutcomeCode.TOO_LARGE;
            case 415 -> OutcomeCode.UNSUPPORTED_MEDIA_TYPE;
            case 404 -> OutcomeCode.NOT_FOUND;
            default -> status < 500 ? OutcomeCode.INVALID_REQUEST : OutcomeCode.FAILED;
        }).answer();
        Object allow = e.getResponse().getHeaders().getFirst("Allow");
        return allow == null ? answer : answer.with("Allow", allow.toString());
    }

    /** The problem of a failed call to Redis other than a purchase or grab. */
    private static Problem problem(RedisFailure failure, boolean onlyReads) {
        return switch (failure.outcomeClass()) {
            case NOTHING_HAPPENED -> Problem.of(OutcomeCode.UNAVAILABLE);
            case UNKNOWN -> onlyReads ? Problem.of(OutcomeCode.UNAVAILABLE)
                    : Problem.of(OutcomeCode.OUTCOME_UNKNOWN,
                            "It is unknown whether this call took "
                            + "effect. It is safe to repeat it.");
            case HALF_DONE -> Problem.of(OutcomeCode.FAILED);
        };
    }
}
