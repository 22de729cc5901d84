package dev.rush;

import io.smallrye.config.ConfigSourceInterceptor;
import io.smallrye.config.ConfigSourceInterceptorContext;
import io.smallrye.config.ConfigValue;
import java.util.Map;

/**
 * Opens Quarkus's CORS filter to the origins of {@code rush.cors.origins}, for the methods and
 * headers of the API. Without origins the filter is off, and browsers withhold answers from pages
 * of other origins.
 */
public final class CorsSettings implements ConfigSourceInterceptor {

    private static final long serialVersionUID = 1L;
    private static final String ORIGINS = "rush.cors.origins";
    private static final String QUARKUS = "quarkus.http.cors.";
    private static final Map<String, String> SETTINGS = Map.of(
            QUARKUS + "enabled", "true",
            QUARKUS + "methods", "GET,HEAD,POST,PUT,PATCH,DELETE",
            QUARKUS + "headers",
            "Authorization,Content-Type,Idempotency-Key,If-None-Match,Last-Event-ID",
            QUARKUS + "exposed-headers",
            "Location,Retry-After,Idempotency-Replayed,RateLimit,RateLimit-Policy,ETag",
            QUARKUS + "access-control-max-age", "PT1H",
            // Pages send tokens in a header; Rush uses no cookies.
            QUARKUS + "access-control-allow-credentials", "false");

    @Override
    public ConfigValue getValue(ConfigSourceInterceptorContext context, String name) {
        if (!name.startsWith(QUARKUS)) {
            return context.proceed(name);
        }
        ConfigValue origins = context.proceed(ORIGINS);
        if (origins == null || origins.getValue() == null || origins.getValue().isBlank()) {
            return context.proceed(name);
        }
        if (name.equals(QUARKUS + "origins")) {
            return origins.withName(name);
        }
        String setting = SETTINGS.get(name);
        if (setting == null) {
            return context.proceed(name);
        }
        boolean byHeader = name.equals(QUARKUS + "headers") && isIdentityByHeader(context);
        return origins.withName(name).withValue(
                byHeader ? setting + ",X-User-Id,X-User-Roles" : setting);
    }

    private static boolean isIdentityByHeader(ConfigSourceInterceptorContext context) {
        ConfigValue identity = context.proceed("rush.identity");
        return identity != null && "header".equalsIgnoreCase(identity.getValue());
    }
}
