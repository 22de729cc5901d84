package dev.rush.http;

import dev.rush.redis.RedisFailure;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Request;
import jakarta.ws.rs.core.Response;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Every answer that is no success is a problem, whoever noticed it. */
public class ProblemMappers {

    private static final Logger LOG = Logger.getLogger(ProblemMappers.class);
    private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

    @ServerExceptionMapper
    Response problem(ProblemException e) {
        return e.problem().response();
    }

    @ServerExceptionMapper
    Response redis(RedisFailure e, Request request) {
        return of(e, request).response();
    }

    @ServerExceptionMapper
    Response notFound(NotFoundException e) {
        return Problem.of(Word.NOT_FOUND).response();
    }

    @ServerExceptionMapper
    Response http(WebApplicationException e) {
        int status = e.getResponse().getStatus();
        Response.ResponseBuilder answer = switch (status) {
            case 405 -> Problem.of(Word.METHOD_NOT_ALLOWED).builder();
            case 406 -> Problem.of(Word.NOT_ACCEPTABLE).builder();
            case 413 -> Problem.of(Word.TOO_LARGE).builder();
            case 415 -> Problem.of(Word.UNSUPPORTED_MEDIA_TYPE).builder();
            case 404 -> Problem.of(Word.NOT_FOUND).builder();
            default -> status < 500 ? Problem.of(Word.INVALID_REQUEST).builder()
                    : Problem.of(Word.FAILED).builder();
        };
        Object allow = e.getResponse().getHeaders().getFirst("Allow");
        if (allow != null) {
            answer.header("Allow", allow);
        }
        if (status >= 500) {
            LOG.error("A request failed", e);
        }
        return answer.build();
    }

    @ServerExceptionMapper
    Response completion(CompletionException e, Request request) {
        return e.getCause() instanceof Exception cause ? any(cause, request) : any(e, request);
    }

    @ServerExceptionMapper
    Response any(Exception e, Request request) {
        if (e instanceof ProblemException problem) {
            return problem(problem);
        }
        if (e instanceof RedisFailure failure) {
            return redis(failure, request);
        }
        if (e instanceof WebApplicationException web) {
            return http(web);
        }
        LOG.error("A request failed", e);
        return Problem.of(Word.FAILED).response();
    }

    /**
     * What a client is told of a failed call to Redis that was no purchase and no grab. A call that
     * only reads changed nothing, whatever became of it.
     */
    private static Problem of(RedisFailure failure, Request request) {
        return switch (failure.outcomeClass()) {
            case NOTHING_HAPPENED -> Problem.of(Word.UNAVAILABLE);
            case UNKNOWN -> READS.contains(request.getMethod()) ? Problem.of(Word.UNAVAILABLE)
                    : Problem.of(Word.OUTCOME_UNKNOWN, "It is not known whether this was done. "
                            + "Repeat the call: that is safe.");
            case HALF_DONE -> Problem.of(Word.FAILED);
        };
    }
}
