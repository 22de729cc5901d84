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
 * Tells pages of origins that {@code rush.cors.origins} does not name that they may not call.
 * Quarkus's filter, which comes after, refuses them too, with an empty answer.
 */
@Singleton
public class ForeignPages {

    private static final int BEFORE_THE_FILTER = -999_999;
    private static final Problem REFUSAL =
            Problem.of(Word.FORBIDDEN, "Pages of this origin may not call.");

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

    /** Whether the page may come from this host; the filter then looks at scheme and port. */
    private static boolean isOfThisHost(HttpServerRequest request, String origin) {
        HostAndPort host = request.authority();
        return host != null && (origin.endsWith("://" + host.host())
                || origin.contains("://" + host.host() + ":"));
    }
}
