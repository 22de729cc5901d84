package dev.rush.packaging;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The environment variables that the service reads: of Rush, Quarkus, MicroProfile and Kafka. */
final class KnownSettings {

    /** Each Quarkus extension ships a description of its settings. */
    private static final String MODEL = "META-INF/quarkus-config-doc/quarkus-config-model.json";

    private static final Pattern VARIABLE =
            Pattern.compile("\"environmentVariable\"\\s*:\\s*\"([A-Z0-9_]+)\"");

    /** Settings defined by MicroProfile, which Quarkus does not describe. */
    private static final Set<String> MICROPROFILE = Set.of(
            "MP_JWT_VERIFY_ISSUER", "MP_JWT_VERIFY_PUBLICKEY_LOCATION", "MP_JWT_VERIFY_AUDIENCES");

    /** Generated from RushConfig. */
    private static final String REFERENCE = "docs/reference/configuration.md";
    private static final Pattern KEY = Pattern.compile("(?m)^\\| `(rush[\\w.-]+)` \\|");

    private static final Set<String> QUARKUS = quarkus();

    private KnownSettings() {
    }

    static Set<String> all(Packaging packaging) {
        Set<String> known = new TreeSet<>(MICROPROFILE);
        known.addAll(QUARKUS);
        // The named TLS configuration "redis".
        QUARKUS.stream().filter(name -> name.startsWith("QUARKUS_TLS__"))
                .map(name -> name.replaceFirst("__[A-Z_]+?__", "_REDIS_"))
                .forEach(known::add);
        KEY.matcher(packaging.file(REFERENCE)).results()
                .forEach(key -> known.add(variable(key.group(1))));
        ProducerConfig.configNames().forEach(name -> known.add(variable("kafka." + name)));
        return known;
    }

    /** Returns the environment variable of a setting. */
    static String variable(String key) {
        return key.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
    }

    /** Returns the default of a setting of Rush. */
    static Optional<String> defaultOf(Packaging packaging, String key) {
        return Pattern.compile("(?m)^\\| `" + key + "` \\| [^|]+ \\| `([^`]+)`")
                .matcher(packaging.file(REFERENCE)).results()
                .map(found -> found.group(1)).findFirst();
    }

    private static Set<String> quarkus() {
        return KnownSettings.class.getClassLoader().resources(MODEL)
                .flatMap(model -> VARIABLE.matcher(text(model)).results())
                .map(found -> found.group(1)).collect(Collectors.toSet());
    }

    private static String text(URL resource) {
        try (InputStream stream = resource.openStream()) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
