package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;
import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.names;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the manifests tell the service: known settings, no secrets, times that fit each other. */
final class ConfigRules {

    private static final Pattern SECRET_NAME =
            Pattern.compile("(?i).*(passw|secret|token|credential|private.?key).*");

    /** A user and a password in an address, or a password as a parameter of one. */
    private static final Pattern SECRET_VALUE =
            Pattern.compile("(?i)(://[^/@\\s]+:[^/@\\s]+@|[?&;]password=)");

    private static final Set<String> ALWAYS = Set.of("RUSH_ROLE", "RUSH_IDENTITY",
            "QUARKUS_REDIS_HOSTS", "QUARKUS_REDIS_CLIENT_TYPE", "QUARKUS_CONFIG_LOCATIONS");

    private static final Set<String> FOR_TOKENS =
            Set.of("MP_JWT_VERIFY_ISSUER", "MP_JWT_VERIFY_AUDIENCES",
                    "MP_JWT_VERIFY_PUBLICKEY_LOCATION");

    private static final Set<String> FOR_THE_LEDGER =
            Set.of("QUARKUS_DATASOURCE_JDBC_URL", "QUARKUS_DATASOURCE_USERNAME");

    /** What the images expose, and what Quarkus fixes when it builds them. */
    private static final Pattern FIXED = Pattern.compile("QUARKUS_(HTTP_PORT|MANAGEMENT_\\w+"
            + "|SMALLRYE_HEALTH_\\w+|REDIS_HEALTH_ENABLED|SHUTDOWN_DELAY_ENABLED)");

    private static final String SECRET_FOLDER = "/etc/rush/secret/";

    private ConfigRules() {
    }

    /** Passwords are files of a Secret; none is in a ConfigMap, in the environment or in prod. */
    static Stream<String> secrets(Packaging packaging) {
        Stream<String> maps = packaging.all("ConfigMap")
                .flatMap(map -> Stream.of("data", "binaryData")
                        .flatMap(field -> names(map.path(field)))
                        .filter(key -> secret(key, map.at("/data").path(key).asText()))
                        .map(key -> id(map) + " holds the secret " + key));
        Stream<String> environment = packaging.pods().stream()
                .flatMap(pod -> pod.containers().stream()
                        .flatMap(container -> each(container.path("env")))
                        .filter(variable -> variable.at("/valueFrom").has("secretKeyRef")
                                || secret(variable.path("name").asText(),
                                        variable.path("value").asText()))
                        .map(v -> pod.id() + " has a secret in " + v.path("name").asText()));
        Stream<String> whole = packaging.pods().stream()
                .filter(pod -> pod.containers().stream()
                        .flatMap(container -> each(container.path("envFrom")))
                        .anyMatch(from -> from.has("secretRef")))
                .map(pod -> pod.id() + " has a Secret in its environment");
        Stream<String> objects = packaging.dev() ? Stream.empty()
                : packaging.all("Secret").map(secret -> id(secret) + " lies in a file");
        Stream<String> modes = packaging.pods().stream().filter(Pod::lasting)
                .flatMap(pod -> each(pod.spec().path("volumes"))
                        .filter(volume -> volume.has("secret"))
                        .filter(volume -> volume.at("/secret/defaultMode").asInt() != 0440)
                        .map(volume -> pod.id() + " lets others read " + volume.path("name")));
        return Stream.of(maps, environment, whole, objects, modes).flatMap(findings -> findings);
    }

    private static boolean secret(String name, String value) {
        boolean path = value.startsWith("/");
        boolean named = SECRET_NAME.matcher(name).matches() && !path;
        return named || !name.contains(".") && SECRET_VALUE.matcher(value).find();
    }

    /** Every variable is a setting that the service reads, and what it needs is set, once. */
    static Stream<String> settings(Packaging packaging) {
        Set<String> known = KnownSettings.all(packaging);
        return packaging.servicePods().stream().flatMap(pod -> {
            Map<String, String> environment = Settings.environment(packaging, pod.main());
            Set<String> needed = new HashSet<>(ALWAYS);
            if (environment.getOrDefault("RUSH_IDENTITY", "token").equals("token")) {
                needed.addAll(FOR_TOKENS);
            }
            if (!environment.getOrDefault("RUSH_ORDERS_SINK", "postgres").equals("none")) {
                needed.addAll(FOR_THE_LEDGER);
            }
            List<String> findings = new ArrayList<>();
            environment.keySet().stream().filter(key -> !known.contains(key))
                    .forEach(key -> findings.add("sets the unknown " + key));
            environment.keySet().stream().filter(key -> FIXED.matcher(key).matches())
                    .forEach(key -> findings.add("sets " + key + ", which images rely on"));
            needed.stream().filter(key -> !environment.containsKey(key))
                    .forEach(key -> findings.add("lacks " + key));
            Set<String> seen = new HashSet<>();
            each(pod.main().path("env")).map(variable -> variable.path("name").asText())
                    .filter(key -> !seen.add(key))
                    .forEach(key -> findings.add("sets " + key + " twice"));
            files(pod, environment).forEach(findings::add);
            return findings.stream().map(finding -> pod.id() + " " + finding);
        });
    }

    /** Settings that name a file name one in the folder where the Secret is mounted. */
    private static Stream<String> files(Pod pod, Map<String, String> environment) {
        boolean mounted = each(pod.main().path("volumeMounts")).anyMatch(mount ->
                SECRET_FOLDER.equals(mount.path("mountPath").asText() + "/"));
        return Stream.of("QUARKUS_CONFIG_LOCATIONS", "MP_JWT_VERIFY_PUBLICKEY_LOCATION")
                .filter(environment::containsKey)
                .filter(key -> !mounted || !environment.get(key).startsWith(SECRET_FOLDER))
                .map(key -> key + " leads nowhere");
    }

    /** Redis is given up before the request, the request before the pod and the proxy. */
    static Stream<String> timeouts(Packaging packaging) {
        return packaging.servicePods().stream().flatMap(pod -> {
            Duration connect = Settings.duration(
                    packaging, pod, "quarkus.redis.tcp.connection-timeout");
            Duration deadline = Settings.duration(Settings.of(packaging, pod, "rush.deadline")
                    .orElseGet(() -> KnownSettings.deadline(packaging)));
            boolean route = packaging.all("HTTPRoute")
                    .flatMap(r -> each(r.at("/spec/rules")))
                    .map(rule -> rule.at("/timeouts/request").asText("0s"))
                    .filter(timeout -> timeout.matches("[1-9]\\d*(ms|s)")).map(Settings::duration)
                    .anyMatch(timeout -> timeout.compareTo(deadline) <= 0);
            Duration drain = Settings.duration(packaging, pod, "quarkus.shutdown.timeout");
            boolean cut = pod.knative() && pod.spec().path("timeoutSeconds").asLong()
                    <= deadline.toSeconds();
            return Stream.of(
                    connect.compareTo(deadline) < 0 ? "" : "connects for longer than rush.deadline",
                    deadline.compareTo(drain) < 0 ? "" : "stops before rush.deadline",
                    route ? "is given up by the gateway before the service gives up" : "",
                    cut ? "is given up before the service gives up" : "",
                    probeTimeout(pod.main()).compareTo(connect) > 0 ? ""
                            : "has a probe shorter than a connection to Redis")
                    .filter(finding -> !finding.isEmpty())
                    .map(finding -> pod.id() + " " + finding);
        });
    }

    private static Duration probeTimeout(JsonNode container) {
        return Duration.ofSeconds(container.at("/readinessProbe/timeoutSeconds").asLong(1));
    }
}
