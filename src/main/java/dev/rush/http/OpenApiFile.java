package dev.rush.http;

import io.quarkus.runtime.ImageMode;
import io.quarkus.smallrye.openapi.runtime.OpenApiConstants;
import io.smallrye.openapi.runtime.io.Format;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Locale;

/**
 * The OpenAPI document as the build wrote it; nothing changes it at run time. Quarkus would parse
 * it at every start and write it again as JSON and as YAML, which slows the start. So it is hidden
 * from Quarkus: here on Java, and by {@code SkipOpenApiPreparation} in the executable. Both can be
 * removed with the first Quarkus that has https://github.com/quarkusio/quarkus/pull/55538.
 */
@Singleton
class OpenApiFile {

    void hide(@Observes @Initialized(ApplicationScoped.class) Object event) {
        if (ImageMode.current() == ImageMode.JVM) {
            // The platform class loader does not see the document.
            OpenApiConstants.classLoader = ClassLoader.getPlatformClassLoader();
        }
    }

    /** The document in the given format. */
    static byte[] read(Format format) {
        String name = OpenApiConstants.BASE_NAME + "." + format;
        try (InputStream in = Thread.currentThread().getContextClassLoader()
                .getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("The build has not written " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    /** The requested format: the {@code format} parameter, else the Accept header, else YAML. */
    static Format format(HttpServerRequest request) {
        String format = request.getParam("format");
        String accept = request.getHeader(HttpHeaders.ACCEPT);
        boolean json = format != null ? Format.JSON.name().equalsIgnoreCase(format)
                : accept != null && accept.contains(Format.JSON.getMimeType());
        return json ? Format.JSON : Format.YAML;
    }

    /** The file extension, with its dot. */
    static String extension(Format format) {
        return "." + format.name().toLowerCase(Locale.ROOT);
    }
}
