package dev.rush.http;

import dev.rush.RushConfig;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates callers: by a verified bearer token, or behind a trusted gateway by its headers
 * ({@code rush.identity}).
 */
@Singleton
public class Callers {

    private static final Logger LOG = Logger.getLogger(Callers.class);
    /** The challenges of RFC 6750 for a missing and for an invalid token. */
    private static final String CHALLENGE = "Bearer realm=\"rush\"";
    private static final String INVALID_TOKEN = CHALLENGE + ", error=\"invalid_token\"";
    private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

    private final boolean byHeader;
    private final RushConfig.ConfirmBy confirmBy;
    private final TokenVerifier tokens;

    @Inject
    Callers(RushConfig config, TokenVerifier tokens) {
        this.byHeader = config.identity() == RushConfig.Identity.HEADER;
        this.tokens = tokens;
        this.confirmBy = config.confirmBy();
    }

    void warn(@Observes StartupEvent event,
            @ConfigProperty(name = "mp.jwt.verify.publickey") Optional<String> key,
            @ConfigProperty(name = "mp.jwt.verify.publickey.location") Optional<String> location) {
        if (LaunchMode.current() != LaunchMode.NORMAL) {
            return;
        }
        if (byHeader) {
            LOG.warn("rush.identity=header: EVERY CALLER IS TRUSTED to be the user that the "
                    + "header X-User-Id names. Run this only behind a gateway that removes "
                    + "that header from requests and sets it itself.");
        } else if (key.isEmpty() && location.isEmpty()) {
            LOG.warn("rush.identity=token, but neither mp.jwt.verify.publickey nor "
                    + "mp.jwt.verify.publickey.location is set: no token can be verified, and "
                    + "every call that needs an identity gets a 401 response.");
        }
    }

    /**
     * The caller of a request.
     *
     * @throws ProblemException {@code unauthenticated} if the identity is missing or the token is
     *                          invalid
     */
    public Caller require(HttpServerRequest request) {
        // Answers that depend on the caller must not be cached.
        request.response().putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE);
        Caller caller = byHeader ? fromHeaders(request) : fromToken(request);
        if (caller == null) {
            throw new ProblemException(byHeader
                    ? Problem.of(OutcomeCode.UNAUTHENTICATED,
                            "The header X-User-Id is missing or invalid.")
                    : Problem.unauthenticated("A valid bearer token is required.",
                            bearer(request) == null ? CHALLENGE : INVALID_TOKEN));
        }
        return caller;
    }

    /**
     * The caller of a request that requires an operator.
     *
     * @throws ProblemException {@code unauthenticated}, or {@code forbidden} unless an operator
     */
    public Caller requireOperator(HttpServerRequest request) {
        Caller caller = require(request);
        return allowed(caller, caller.operator());
    }

    /**
     * The caller of a request that requires an operator or auditor.
     *
     * @throws ProblemException {@code unauthenticated}, or {@code forbidden} unless an operator or
     *                          auditor
     */
    public Caller requireAuditor(HttpServerRequest request) {
        Caller caller = require(request);
        return allowed(caller, caller.audits());
    }

    /**
     * The caller of a confirmation.
     *
     * @throws ProblemException {@code unauthenticated}, or {@code forbidden} unless
     *                          {@code rush.confirm-by} names this caller
     */
    public Caller requireConfirmer(HttpServerRequest request) {
        Caller caller = require(request);
        return allowed(caller, switch (confirmBy) {
            case OPERATOR -> caller.operator();
            case PAYER -> caller.actsForAnyone();
            case BUYER -> true;
        });
    }

    private static Caller allowed(Caller caller, boolean allowed) {
        if (!allowed) {
            throw new ProblemException(Problem.of(OutcomeCode.FORBIDDEN));
        }
        return caller;
    }

    private static @Nullable Caller fromHeaders(HttpServerRequest request) {
        String roles = request.getHeader("X-User-Roles");
        return Caller.of(request.getHeader("X-User-Id"), roles == null ? Set.of()
                : Arrays.stream(roles.split(",")).map(String::trim).collect(Collectors.toSet()));
    }

    private @Nullable Caller fromToken(HttpServerRequest request) {
        String token = bearer(request);
        return token == null ? null : tokens.caller(token);
    }

    /** The token of a request, valid or not; null without one. */
    private static @Nullable String bearer(HttpServerRequest request) {
        String header = request.getHeader("Authorization");
        if (header == null || !header.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return null;
        }
        String token = header.substring(7).trim();
        return token.isEmpty() ? null : token;
    }
}
