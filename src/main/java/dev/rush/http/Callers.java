package dev.rush.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.RushConfig;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.jwt.auth.principal.JWTParser;
import io.smallrye.jwt.auth.principal.ParseException;
import io.vertx.core.http.HttpServerRequest;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Arrays;
import java.util.Set;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.jwt.JsonWebToken;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Tells who calls: from a verified bearer token, or behind a trusted gateway from its headers
 * ({@code rush.identity}).
 */
@Singleton
public class Callers {

    private static final Logger LOG = Logger.getLogger(Callers.class);
    private static final String OPERATOR = "operator";
    /** What RFC 6750 has us tell whoever brings no token, and whoever brings a bad one. */
    private static final String CHALLENGE = "Bearer realm=\"rush\"";
    private static final String CHALLENGE_TO_BAD_TOKEN = CHALLENGE + ", error=\"invalid_token\"";
    /** Tokens whose signature was checked; a caller in a rush sends the same one repeatedly. */
    private static final int VERIFIED_MAX = 50_000;

    private final boolean byHeader;
    private final JWTParser parser;
    /** Kept small by the request itself, as in {@link RateLimits}: each new user is an entry. */
    private final Cache<String, Verified> verified = Caffeine.newBuilder()
            .maximumSize(VERIFIED_MAX).executor(Runnable::run).build();

    private record Verified(Caller caller, long expiresAtSeconds) {
    }

    @Inject
    Callers(RushConfig config, JWTParser parser) {
        this.byHeader = config.identity() == RushConfig.Identity.HEADER;
        this.parser = parser;
    }

    void warn(@Observes StartupEvent event,
            @ConfigProperty(name = "mp.jwt.verify.publickey") Optional<String> key,
            @ConfigProperty(name = "mp.jwt.verify.publickey.location") Optional<String> location) {
        if (LaunchMode.current() != LaunchMode.NORMAL) {
            return;
        }
        if (byHeader) {
            LOG.warn("rush.identity=header: EVERY CALLER IS BELIEVED to be whom the header "
                    + "X-User-Id names. Run this only behind a gateway that sets and strips "
                    + "that header.");
        } else if (key.isEmpty() && location.isEmpty()) {
            LOG.warn("rush.identity=token, but neither mp.jwt.verify.publickey nor "
                    + "mp.jwt.verify.publickey.location is set: no token can be verified, and "
                    + "every call that needs an identity is answered 401.");
        }
    }

    /**
     * The caller of a request.
     *
     * @throws ProblemException {@code unauthenticated} when nobody is named or the token is bad
     */
    public Caller require(HttpServerRequest request) {
        Caller caller = byHeader ? fromHeaders(request) : fromToken(request);
        if (caller == null) {
            throw (byHeader
                    ? Problem.of(Word.UNAUTHENTICATED, "The header X-User-Id names nobody.")
                    : Problem.unauthenticated("A valid bearer token is needed.",
                            bearer(request) == null ? CHALLENGE : CHALLENGE_TO_BAD_TOKEN))
                    .exception();
        }
        return caller;
    }

    /**
     * The caller of an operator's request.
     *
     * @throws ProblemException {@code unauthenticated}, or {@code forbidden} for anyone else
     */
    public Caller requireOperator(HttpServerRequest request) {
        Caller caller = require(request);
        if (!caller.operator()) {
            throw Problem.of(Word.FORBIDDEN).exception();
        }
        return caller;
    }

    private static Caller fromHeaders(HttpServerRequest request) {
        String user = request.getHeader("X-User-Id");
        if (!Texts.isVisible(user)) {
            return null;
        }
        String roles = request.getHeader("X-User-Roles");
        boolean operator = roles != null
                && Arrays.stream(roles.split(",")).anyMatch(role -> OPERATOR.equals(role.trim()));
        return new Caller(user, operator);
    }

    private Caller fromToken(HttpServerRequest request) {
        String token = bearer(request);
        if (token == null) {
            return null;
        }
        Verified known = verified.getIfPresent(token);
        if (known != null && known.expiresAtSeconds > System.currentTimeMillis() / 1000) {
            return known.caller;
        }
        try {
            JsonWebToken jwt = parser.parse(token);
            Set<String> groups = jwt.getGroups();
            if (!Texts.isVisible(jwt.getSubject())) {
                return null;
            }
            Caller caller =
                    new Caller(jwt.getSubject(), groups != null && groups.contains(OPERATOR));
            verified.put(token, new Verified(caller, jwt.getExpirationTime()));
            return caller;
        } catch (ParseException e) {
            LOG.debug("A token was refused", e);
            return null;
        }
    }

    /** The token of a request, good or bad; null without one. */
    private static String bearer(HttpServerRequest request) {
        String header = request.getHeader("Authorization");
        if (header == null || !header.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return null;
        }
        String token = header.substring(7).trim();
        return token.isEmpty() ? null : token;
    }
}
