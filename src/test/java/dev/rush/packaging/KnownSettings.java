package dev.rush.packaging;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    private static final String CONFIG = "src/main/java/dev/rush/RushConfig.java";

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
        collect(config(), "RUSH", known);
        ProducerConfig.configNames().forEach(name ->
                known.add("KAFKA_" + name.replace('.', '_').toUpperCase(Locale.ROOT)));
        return known;
    }

    /** Returns the declared default of rush.deadline. */
    static String deadline(Packaging packaging) {
        return Settings.in(packaging, CONFIG, "@WithDefault\\(\"(\\w+)\"\\)\\s+Duration deadline");
    }

    private static Class<?> config() {
        try {
            return Class.forName("dev.rush.RushConfig");
        } catch (ClassNotFoundException e) {
            throw new AssertionError("the configuration interface has moved", e);
        }
    }

    /** Adds the settings of a configuration interface and of its nested groups. */
    private static void collect(Class<?> group, String prefix, Set<String> known) {
        for (Method method : group.getMethods()) {
            if (method.getParameterCount() > 0) {
                continue;
            }
            String words = method.getName().replaceAll("([A-Z])", "_$1");
            String name = prefix + "_" + words.toUpperCase();
            if (method.getReturnType().isInterface()
                    && method.getReturnType().getPackageName().equals("dev.rush")) {
                collect(method.getReturnType(), name, known);
            } else {
                known.add(name);
            }
        }
    }

    private static Set<String> quarkus() {
        Set<String> known = new TreeSet<>();
        try {
            ClassLoader loader = KnownSettings.class.getClassLoader();
            for (URL model : Collections.list(loader.getResources(MODEL))) {
                try (InputStream stream = model.openStream()) {
                    String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
                    Matcher matcher = VARIABLE.matcher(text);
                    while (matcher.find()) {
                        known.add(matcher.group(1));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return known;
    }
}
