package dev.rush.http;

import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.CompletionException;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Every answer that is no success is a problem, whoever noticed it. */
public class ProblemMappers {

    private static final Logger LOG = Logger.getLogger(ProblemMappers.class);

    @ServerExceptionMapper
    Response problem(ProblemException e) {
        return e.problem().response();
    }

    @ServerExceptionMapper
    Response redis(RedisFailure e) {
        return of(e).response();
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
    Response completion(CompletionException e) {
        return e.getCause() instanceof Exception cause ? any(cause) : any(e);
    }

    @ServerExceptionMapper
    Response any(Exception e) {
        if (e instanceof ProblemException problem) {
            return problem(problem);
        }
        if (e instanceof RedisFailure failure) {
            return redis(failure);
        }
        if (e instanceof WebApplicationException web) {
            return http(web);
        }
        LOG.error("A request failed", e);
        return Problem.of(Word.FAILED).response();
    }

    /** What a client is told of a failed call to Redis that took nothing of its own. */
    public static Problem of(RedisFailure failure) {
        return failure.outcomeClass() == OutcomeClass.HALF_DONE
                ? Problem.of(Word.FAILED) : Problem.of(Word.UNAVAILABLE);
    }
}
