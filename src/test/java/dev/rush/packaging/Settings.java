package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;
import static dev.rush.packaging.Packaging.names;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The settings with which a pod of the service runs. */
final class Settings {

    private static final Pattern SECONDS = Pattern.compile("(\\d+)(ms|s)");

    private Settings() {
    }

    /** Returns a container's environment: its ConfigMaps, overridden by its own variables. */
    static Map<String, String> environment(Packaging packaging, JsonNode container) {
        Map<String, String> settings = new TreeMap<>();
        each(container.path("envFrom"))
                .map(from -> packaging.find("ConfigMap", from.at("/configMapRef/name").asText()))
                .forEach(map -> map.ifPresent(found -> names(found.path("data"))
                        .forEach(key -> settings.put(key, found.at("/data").path(key).asText()))));
        each(container.path("env")).forEach(variable ->
                settings.put(variable.path("name").asText(), variable.path("value").asText()));
        return settings;
    }

    /** Returns a setting from a pod's environment, or else from application.properties. */
    static Optional<String> of(Packaging packaging, Pod pod, String key) {
        String variable = key.toUpperCase().replaceAll("[^A-Z0-9]", "_");
        return Optional.ofNullable(environment(packaging, pod.main()).get(variable))
                .or(() -> packaging.setting(key));
    }

    /** Returns a setting that must be a duration, in Quarkus's short form or in ISO 8601. */
    static Duration duration(Packaging packaging, Pod pod, String key) {
        return duration(of(packaging, pod, key)
                .orElseThrow(() -> new AssertionError("application.properties lacks " + key)));
    }

    static Duration duration(String text) {
        Matcher matcher = SECONDS.matcher(text);
        if (!matcher.matches()) {
            return Duration.parse(text);
        }
        long number = Long.parseLong(matcher.group(1));
        boolean seconds = matcher.group(2).equals("s");
        return seconds ? Duration.ofSeconds(number) : Duration.ofMillis(number);
    }

    /** Returns the first group of a pattern that a file must contain. */
    static String in(Packaging packaging, String path, String pattern) {
        Matcher matcher = Pattern.compile(pattern, Pattern.MULTILINE).matcher(packaging.file(path));
        if (!matcher.find()) {
            throw new AssertionError(path + " has no " + pattern);
        }
        return matcher.group(1);
    }
}
