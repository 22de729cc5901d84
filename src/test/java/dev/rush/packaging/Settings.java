package dev.rush.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.runtime.configuration.DurationConverter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The settings with which a pod of the service runs. */
final class Settings {

    private Settings() {
    }

    /** Returns a container's environment: its ConfigMaps, overridden by its own variables. */
    static Map<String, String> environment(Packaging packaging, JsonNode container) {
        Map<String, String> settings = new TreeMap<>();
        container.path("envFrom").valueStream()
                .map(from -> packaging.find("ConfigMap", from.at("/configMapRef/name").asText()))
                .flatMap(map -> map.stream().flatMap(found -> found.path("data").propertyStream()))
                .forEach(entry -> settings.put(entry.getKey(), entry.getValue().asText()));
        container.path("env").valueStream().forEach(variable ->
                settings.put(variable.path("name").asText(), variable.path("value").asText()));
        return settings;
    }

    /** Returns a setting from a pod's environment, application.properties, or Rush's defaults. */
    static Optional<String> of(Packaging packaging, Pod pod, String key) {
        String variable = KnownSettings.variable(key);
        return Optional.ofNullable(environment(packaging, pod.main()).get(variable))
                .or(() -> packaging.setting(key))
                .or(() -> KnownSettings.defaultOf(packaging, key));
    }

    /** Returns a setting that must be a duration, in Quarkus's short form or in ISO 8601. */
    static Duration duration(Packaging packaging, Pod pod, String key) {
        return DurationConverter.parseDuration(of(packaging, pod, key)
                .orElseThrow(() -> new AssertionError("no value of " + key)));
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
