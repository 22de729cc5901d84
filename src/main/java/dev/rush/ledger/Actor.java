package dev.rush.ledger;

import dev.rush.http.Caller;
import dev.rush.http.Cause;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * The actor of a change, spelled {@code role:name}.
 *
 * @param text  {@code operator:}, {@code payer:} or {@code buyer:} and a user's name, or
 *              {@code service:} and a part of the service
 * @param cause why they make the change, in their words; null if they do not say
 */
public record Actor(String text, @Nullable String cause) {

    private static final String BUYER = "buyer:";

    /** An actor who states no cause. */
    public Actor(String text) {
        this(text, null);
    }

    /** The caller, in the role with the most rights. */
    public static Actor of(Caller caller) {
        return new Actor(caller.actor());
    }

    /**
     * The caller of a request, in the role with the most rights, with the cause that it states.
     *
     * @throws dev.rush.http.ProblemException {@code invalid-request} if the cause is invalid
     */
    public static Actor of(Caller caller, HttpServerRequest request) {
        return new Actor(caller.actor(), Cause.of(request));
    }

    /**
     * A part of the service that acts without a caller: {@code expiry}, {@code guard} and so on.
     */
    public static Actor service(String part) {
        return new Actor("service:" + part);
    }

    /** The same actor, with a cause. */
    public Actor because(@Nullable String cause) {
        return new Actor(text, cause);
    }

    /** The part before the name. */
    public String role() {
        return text.substring(0, text.indexOf(':'));
    }

    /** Whether this is a buyer. */
    public boolean isBuyer() {
        return text.startsWith(BUYER);
    }
}
