package dev.rush.packaging;

import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.runtime.configuration.DurationConverter;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the manifests tell the service: known settings, no secrets, times that fit each other. */
final class ConfigRules {

    private static final Pattern SECRET_NAME =
            Pattern.compile("(?i).*(passw|secret|token|credential|private.?key|jaas).*");

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

    private static final Set<String> FOR_KAFKA = Set.of("KAFKA_BOOTSTRAP_SERVERS");

    /** What the images expose, and what Quarkus fixes when it builds them. */
    private static final Pattern FIXED = Pattern.compile("QUARKUS_(HTTP_PORT|MANAGEMENT_\\w+"
            + "|SMALLRYE_HEALTH_\\w+|REDIS_HEALTH_ENABLED|SHUTDOWN_DELAY_ENABLED)");

    private static final String SECRET_FOLDER = "/etc/rush/secret/";

    private ConfigRules() {
    }

    /** Passwords are files of a Secret; none is in a ConfigMap, in the environment or in prod. */
    static void secrets(Packaging packaging, Findings findings) {
        packaging.all("ConfigMap").forEach(map -> Stream.of("data", "binaryData")
                .flatMap(field -> map.path(field).propertyStream()).map(Map.Entry::getKey)
                .forEach(key -> findings.demand(
                        !secret(key, map.at("/data").path(key).asText()),
                        id(map) + " holds the secret " + key)));
        findings.demand(packaging.dev() || packaging.all("Secret").findAny().isEmpty(),
                "a Secret lies in a file");
        for (Pod pod : packaging.pods()) {
            Findings found = findings.about(pod.id());
            for (JsonNode container : pod.containers()) {
                nodes(container, "/env/*").forEach(variable -> found.demand(
                        !variable.at("/valueFrom").has("secretKeyRef")
                                && !secret(variable.path("name").asText(),
                                        variable.path("value").asText()),
                        "has a secret in " + variable.path("name")));
                found.demand(nodes(container, "/envFrom/*/secretRef").isEmpty(),
                        "has a Secret in its environment");
            }
            nodes(pod.spec(), "/volumes/*/secret").forEach(volume -> found.demand(
                    !pod.isReplicated() || volume.path("defaultMode").asInt() == 0440,
                    "lets others read " + volume));
        }
    }

    private static boolean secret(String name, String value) {
        boolean path = value.startsWith("/");
        boolean named = SECRET_NAME.matcher(name).matches() && !path;
        return named || !name.contains(".") && SECRET_VALUE.matcher(value).find();
    }

    /** Every variable is a setting that the service reads, and what it needs is set, once. */
    static void settings(Packaging packaging, Findings all) {
        Set<String> known = KnownSettings.all(packaging);
        for (Pod pod : packaging.servicePods()) {
            Findings findings = all.about(pod.id());
            Map<String, String> environment = Settings.environment(packaging, pod.main());
            Set<String> needed = new HashSet<>(ALWAYS);
            if (environment.getOrDefault("RUSH_IDENTITY", "token").equals("token")) {
                needed.addAll(FOR_TOKENS);
            }
            String sink = environment.getOrDefault("RUSH_ORDERS_SINK", "postgres");
            if (!sink.equals("none")) {
                needed.addAll(FOR_THE_LEDGER);
            }
            if (sink.equals("both")) {
                needed.addAll(FOR_KAFKA);
            }
            environment.keySet().forEach(key -> {
                findings.demand(known.contains(key), "sets the unknown " + key);
                findings.demand(!FIXED.matcher(key).matches(),
                        "sets " + key + ", which images rely on");
            });
            needed.forEach(key -> findings.demand(environment.containsKey(key), "lacks " + key));
            Set<String> seen = new HashSet<>();
            nodes(pod.main(), "/env/*/name").forEach(name -> findings.demand(
                    seen.add(name.asText()), "sets " + name + " twice"));
            files(pod, environment, findings);
        }
    }

    /** Settings that name a file name one in the folder where the Secret is mounted. */
    private static void files(Pod pod, Map<String, String> environment, Findings findings) {
        boolean mounted = nodes(pod.main(), "/volumeMounts/*/mountPath").stream()
                .anyMatch(path -> SECRET_FOLDER.equals(path.asText() + "/"));
        for (String key : List.of("QUARKUS_CONFIG_LOCATIONS", "MP_JWT_VERIFY_PUBLICKEY_LOCATION",
                "KAFKA_SSL_TRUSTSTORE_LOCATION")) {
            findings.demand(!environment.containsKey(key)
                    || mounted && environment.get(key).startsWith(SECRET_FOLDER),
                    key + " leads nowhere");
        }
    }

    /** Redis is given up before the request, the request before the pod and the proxy. */
    static void timeouts(Packaging packaging, Findings all) {
        List<Duration> routes = packaging.all("HTTPRoute")
                .flatMap(route -> nodes(route, "/spec/rules/*/timeouts/request").stream())
                .map(JsonNode::asText).filter(timeout -> timeout.matches("[1-9]\\d*(ms|s)"))
                .map(DurationConverter::parseDuration).toList();
        for (Pod pod : packaging.servicePods()) {
            Findings findings = all.about(pod.id());
            Duration connect = Settings.duration(
                    packaging, pod, "quarkus.redis.tcp.connection-timeout");
            Duration deadline = Settings.duration(packaging, pod, "rush.deadline");
            Duration drain = Settings.duration(packaging, pod, "quarkus.shutdown.timeout");
            Duration probe = Duration.ofSeconds(
                    pod.main().at("/readinessProbe/timeoutSeconds").asLong(1));
            findings.demand(connect.compareTo(deadline) < 0,
                    "connects for longer than rush.deadline");
            findings.demand(deadline.compareTo(drain) < 0, "stops before rush.deadline");
            findings.demand(routes.stream().allMatch(limit -> limit.compareTo(deadline) > 0),
                    "is given up by the gateway before the service gives up");
            findings.demand(!pod.knative() || pod.spec().path("timeoutSeconds").asLong()
                    > deadline.toSeconds(), "is given up before the service gives up");
            findings.demand(probe.compareTo(connect) > 0,
                    "has a probe shorter than a connection to Redis");
        }
    }
}
