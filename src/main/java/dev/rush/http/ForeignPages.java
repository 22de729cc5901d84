package dev.rush.http;

import dev.rush.RushConfig;
import io.quarkus.vertx.http.runtime.cors.CORSFilter;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.Router;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Refuses calls from pages of origins that are not in {@code rush.cors.origins} with a problem.
 * Quarkus's filter, which runs later, would refuse them with an empty answer.
 */
@Singleton
public class ForeignPages {

    private static final int BEFORE_THE_FILTER = -999_999;
    private static final Problem REFUSAL =
            Problem.of(OutcomeCode.FORBIDDEN, "Pages of this origin may not call.");

    void install(@Observes Router router, RushConfig config) {
        Optional<List<String>> origins = config.cors().origins();
        if (origins.isEmpty() || CORSFilter.isConfiguredWithWildcard(origins)) {
            return;
        }
        List<Pattern> patterns = CORSFilter.parseAllowedOriginsRegex(origins);
        router.route().order(BEFORE_THE_FILTER).handler(context -> {
            String origin = context.request().getHeader("Origin");
            if (origin == null || origins.get().contains(origin)
                    || CORSFilter.isOriginAllowedByRegex(patterns, origin)
                    || isOfThisHost(context.request(), origin)) {
                context.next();
            } else {
                REFUSAL.answer().send(context.response());
            }
        });
    }

    /** Whether the page may be from this host; the filter then checks scheme and port. */
    private static boolean isOfThisHost(HttpServerRequest request, String origin) {
        HostAndPort host = request.authority();
        return host != null && (origin.endsWith("://" + host.host())
                || origin.contains("://" + host.host() + ":"));
    }
}
