package dev.rush.http;

import dev.rush.ConsoleConfig;
import dev.rush.RushConfig;
import io.smallrye.openapi.runtime.io.Format;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Serves static files: the browser client {@code /rush.js}, the pages of {@code /demo} and {@code
 * /console} if {@code rush.demo.enabled} and {@code rush.console.enabled}, and the documents {@code
 * /q/asyncapi} and {@code /q/openapi}. The files are resources of the service, read once at the
 * start; a path that is switched off is 404 like any other. Quarkus's own static resources cannot
 * be switched off, and have neither ETags nor a policy.
 */
@Singleton
public class Pages {

    /**
     * After {@link HotRoute}, which gets most calls, and hence after CORS; before the REST layer.
     */
    private static final int AFTER_HOT_CALLS = -298;
    private static final String CLIENT = "/rush.js";
    private static final String ASYNCAPI = "/q/asyncapi";
    private static final String OPENAPI = "/q/openapi";
    /** Files shared by the pages of the demo and the console. */
    private static final String PARTS = "/page.js";
    private static final String FOLDER = "/pages/";
    private static final List<String> DEMO_FILES = List.of("icon.svg", "style.css", "visitor.js",
            "shop.js", "rain.js", "sky.js", "rain.css");
    private static final List<String> CONSOLE_FILES = List.of(
            "audit.js", "blocked.js", "books.js", "chart.js", "controls.js", "definition.js",
            "events.js", "health.js", "holds.js", "icon.svg", "leaders.js", "letters.js",
            "limits.js", "lists.js", "live.js", "main.js", "offer.js", "offers.js", "oidc.js",
            "order.js", "orders.js", "parts.js", "rain-form.js", "rates.js", "refusals.js",
            "returns.js", "sale-form.js", "screens.css", "session.js", "style.css", "webhooks.js",
            "words.js");

    /** A shop's page may load the client on every visit, so caches may store it. */
    private static final String CACHED = "public, max-age=300";
    private static final String REVALIDATED = "no-cache";

    /**
     * Only files of this origin, nothing inline, no other host except the console's token endpoint,
     * no framing.
     */
    private static final String POLICY = "default-src 'none'; script-src 'self'; "
            + "style-src 'self'; img-src 'self'; connect-src 'self'%s; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'; "
            + "require-trusted-types-for 'script'";

    private final Vertx vertx;
    private final boolean demo;
    private final ConsoleConfig console;
    private final Json json;
    private final Map<String, Page> pages = new HashMap<>();

    /**
     * A file as it is served.
     *
     * @param label for metrics
     */
    private record Page(String label, String tag, Answer whole, Answer notModified) {
    }

    @Inject
    Pages(RushConfig config, Vertx vertx, Json json) {
        this.vertx = vertx;
        this.demo = config.demo().enabled();
        this.console = config.console();
        this.json = json;
    }

    void install(@Observes Router router) {
        add(CLIENT, CLIENT, "rush.js", CACHED);
        add(ASYNCAPI, ASYNCAPI, "asyncapi.yaml", REVALIDATED);
        for (Format format : Format.values()) {
            String extension = OpenApiFile.extension(format);
            put(OPENAPI + extension, OPENAPI, extension, OpenApiFile.read(format), REVALIDATED,
                    POLICY.formatted(""));
        }
        pages.put(OPENAPI + ".yml", pages.get(OPENAPI + OpenApiFile.extension(Format.YAML)));
        if (demo || console.enabled()) {
            add(PARTS, PARTS, "page.js", REVALIDATED);
        }
        if (demo) {
            add("/demo", "/demo", "demo/shop.html", REVALIDATED);
            add("/demo/rain", "/demo", "demo/rain.html", REVALIDATED);
            addAll("/demo", "demo/", DEMO_FILES);
        }
        if (console.enabled()) {
            put("/console", "/console", "console.html", read("console/console.html"), REVALIDATED,
                    POLICY.formatted(console.tokenEndpoint().map(Pages::origin).orElse("")));
            put("/console/sign-in.json", "/console", "sign-in.json", json.write(signIn()),
                    REVALIDATED, POLICY.formatted(""));
            addAll("/console", "console/", CONSOLE_FILES);
        }
        router.route().order(AFTER_HOT_CALLS).handler(this::handle);
    }

    private void addAll(String path, String folder, List<String> files) {
        for (String file : files) {
            add(path + "/" + file, path, folder + file, REVALIDATED);
        }
    }

    private void add(String path, String label, String file, String caching) {
        put(path, label, file, read(file), caching, POLICY.formatted(""));
    }

    private void put(String path, String label, String file, byte[] body, String caching,
            String policy) {
        String tag = "\"" + checksum(body) + "\"";
        pages.put(path, new Page(label, tag,
                guarded(Answer.file(mediaType(file), body), tag, caching, policy),
                guarded(Answer.notModified(), tag, caching, policy)));
    }

    /** The sign-in settings of the console; empty if users paste a token. */
    private Map<String, String> signIn() {
        if (console.authorizationEndpoint().isEmpty()) {
            return Map.of();
        }
        return Map.of("authorizationEndpoint", console.authorizationEndpoint().get(),
                "tokenEndpoint", console.tokenEndpoint().orElseThrow(),
                "clientId", console.clientId(), "scope", console.scope());
    }

    /** An origin as an additional source of a policy. */
    private static String origin(String endpoint) {
        URI address = URI.create(endpoint);
        return " " + address.getScheme() + "://" + address.getRawAuthority();
    }

    private static Answer guarded(Answer answer, String tag, String caching, String policy) {
        return answer.with(HttpHeaders.ETAG, tag).with(HttpHeaders.CACHE_CONTROL, caching)
                .with("Content-Security-Policy", policy)
                .with("Referrer-Policy", "no-referrer")
                .with("X-Frame-Options", "DENY")
                // A page that opened the window must not navigate it elsewhere.
                .with("Cross-Origin-Opener-Policy", "same-origin")
                // The CORS header differs by origin.
                .with("Vary", "Origin");
    }

    private void handle(RoutingContext routing) {
        HttpServerRequest request = routing.request();
        Page page = pages.get(OPENAPI.equals(request.path())
                ? OPENAPI + OpenApiFile.extension(OpenApiFile.format(request)) : request.path());
        if (page == null) {
            routing.next();
            return;
        }
        Context context = vertx.getOrCreateContext();
        EarlyAnswers.name(context, page.label());
        answer(page, request).send(request.response());
    }

    private static Answer answer(Page page, HttpServerRequest request) {
        if (!HttpMethod.GET.equals(request.method())
                && !HttpMethod.HEAD.equals(request.method())) {
            return Problem.of(OutcomeCode.METHOD_NOT_ALLOWED).answer().with("Allow", "GET, HEAD");
        }
        return Snapshot.isKnown(request.getHeader(HttpHeaders.IF_NONE_MATCH), page.tag())
                ? page.notModified() : page.whole();
    }

    private static String mediaType(String file) {
        return switch (file.substring(file.lastIndexOf('.') + 1)) {
            case "html" -> "text/html;charset=utf-8";
            case "css" -> "text/css;charset=utf-8";
            case "js" -> "text/javascript;charset=utf-8";
            case "json" -> "application/json";
            case "svg" -> "image/svg+xml";
            case "yaml" -> "application/yaml;charset=utf-8";
            default -> throw new IllegalArgumentException("No media type for " + file);
        };
    }

    private static byte[] read(String file) {
        try (InputStream in = Pages.class.getResourceAsStream(FOLDER + file)) {
            if (in == null) {
                throw new IllegalArgumentException("No page " + file);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("Page " + file, e);
        }
    }

    /** For ETags. CRC-32, because SHA-256 is slow at startup, before the JIT has compiled it. */
    private static String checksum(byte[] body) {
        CRC32 checksum = new CRC32();
        checksum.update(body);
        return Long.toHexString(checksum.getValue() << 32 | body.length);
    }
}
