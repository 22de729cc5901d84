package dev.rush;

import io.smallrye.config.WithDefault;
import java.util.Optional;

/** The console for operators, payers and auditors in the browser. */
public interface ConsoleConfig {

    /**
     * Whether {@code /console} is served. Its page calls only what its user's token may call, and
     * adds no rights. While it is off, its paths are 404.
     */
    @WithDefault("false")
    boolean enabled();

    /**
     * OpenID Connect endpoint to which the console redirects the browser for sign-in (authorization
     * code with PKCE). If absent, the user pastes a token.
     */
    Optional<String> authorizationEndpoint();

    /**
     * Endpoint at which the console exchanges the code for tokens, from the browser, so the
     * provider must allow the console's origin (CORS). It is the only other host that the page may
     * call. Required with an authorization endpoint.
     */
    Optional<String> tokenEndpoint();

    /**
     * The console's client id at the provider: a public client with the redirect URI {@code
     * /console}.
     */
    @WithDefault("rush-console")
    String clientId();

    /** The requested scope. The access token must have the audience of the service. */
    @WithDefault("openid")
    String scope();
}
