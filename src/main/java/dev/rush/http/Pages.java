package dev.rush.http;

import dev.rush.RushConfig;
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
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Serves what browsers load: the client {@code /rush.js} and, where {@code rush.demo.enabled} and
 * {@code rush.console.enabled} say so, the pages of {@code /demo} and {@code /console}. The files
 * are resources of the service, read once at the start; a path that is off is unknown like any
 * other. Quarkus's own static resources cannot be switched off, and carry neither tags nor a
 * policy.
 */
@Singleton
public class Pages {

    /** After {@link HotRoute}, which a crowd calls, and hence after CORS; before the REST layer. */
    private static final int AFTER_HOT_CALLS = -298;
    private static final String CLIENT = "/rush.js";
    /** What the pages of the demonstration and the console share. */
    private static final String PARTS = "/page.js";
    private static final String FOLDER = "/pages/";
    private static final List<String> DEMO_FILES = List.of("icon.svg", "style.css", "visitor.js",
            "shop.js", "rain.js", "sky.js", "rain.css");
    private static final List<String> CONSOLE_FILES = List.of(
            "blocked.js", "books.js", "chart.js", "controls.js", "definition.js", "icon.svg",
            "leaders.js", "letters.js", "limits.js", "lists.js", "live.js", "main.js", "offer.js",
            "offers.js", "orders.js", "parts.js", "rain-form.js", "rates.js", "returns.js",
            "sale-form.js", "session.js", "style.css", "words.js");

    /** A shop's page may load the client on every visit of a crowd, so caches may keep it. */
    private static final String CACHED = "public, max-age=300";
    private static final String REVALIDATED = "no-cache";

    /** Files of this origin only, nothing inline, no other host, in nobody's frame. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; "
            + "style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'; "
            + "require-trusted-types-for 'script'";

    private final Vertx vertx;
    private final boolean demo;
    private final boolean console;
    private final Map<String, Page> pages = new HashMap<>();

    /**
     * A file as it is served.
     *
     * @param label under which metrics count it
     */
    private record Page(String label, String tag, Answer whole, Answer notModified) {
    }

    @Inject
    Pages(RushConfig config, Vertx vertx) {
        this.vertx = vertx;
        this.demo = config.demo().enabled();
        this.console = config.console().enabled();
    }

    void install(@Observes Router router) {
        add(CLIENT, CLIENT, "rush.js", CACHED);
        if (demo || console) {
            add(PARTS, PARTS, "page.js", REVALIDATED);
        }
        if (demo) {
            add("/demo", "/demo", "demo/shop.html", REVALIDATED);
            add("/demo/rain", "/demo", "demo/rain.html", REVALIDATED);
            addAll("/demo", "demo/", DEMO_FILES);
        }
        if (console) {
            add("/console", "/console", "console/console.html", REVALIDATED);
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
        byte[] body = read(file);
        String tag = "\"" + digest(body) + "\"";
        pages.put(path, new Page(label, tag,
                guarded(Answer.file(mediaType(file), body), tag, caching),
                guarded(Answer.notModified(), tag, caching)));
    }

    private static Answer guarded(Answer answer, String tag, String caching) {
        return answer.with(HttpHeaders.ETAG, tag).with(HttpHeaders.CACHE_CONTROL, caching)
                .with("Content-Security-Policy", POLICY)
                .with("Referrer-Policy", "no-referrer")
                .with("X-Frame-Options", "DENY")
                // The header that lets another origin in differs by origin.
                .with("Vary", "Origin");
    }

    private void handle(RoutingContext routing) {
        HttpServerRequest request = routing.request();
        Page page = pages.get(request.path());
        if (page == null) {
            routing.next();
            return;
        }
        Context context = vertx.getOrCreateContext();
        EarlyAnswers.name(context, page.label());
        answer(page, request).send(request.response());
    }

    private static Answer answer(Page page, HttpServerRequest request) {
        if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
            return Problem.of(Word.METHOD_NOT_ALLOWED).answer().with("Allow", "GET, HEAD");
        }
        return Snapshot.isKnown(request.getHeader(HttpHeaders.IF_NONE_MATCH), page.tag())
                ? page.notModified() : page.whole();
    }

    private static String mediaType(String file) {
        return switch (file.substring(file.lastIndexOf('.') + 1)) {
            case "html" -> "text/html;charset=utf-8";
            case "css" -> "text/css;charset=utf-8";
            case "js" -> "text/javascript;charset=utf-8";
            case "svg" -> "image/svg+xml";
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

    private static String digest(byte[] body) {
        try {
            return HexFormat.of().formatHex(
                    MessageDigest.getInstance("SHA-256").digest(body), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
