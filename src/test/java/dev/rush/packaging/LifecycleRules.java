package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;
import static dev.rush.packaging.Packaging.id;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** How pods start, are asked how they are, and stop. */
final class LifecycleRules {

    private static final Map<String, String> PROBES = Map.of(
            "startupProbe", "/started",
            "readinessProbe", "/ready",
            "livenessProbe", "/live");

    /** A pod may take so long to start before it is given up: long enough, and not for ever. */
    private static final Duration START_AT_LEAST = Duration.ofSeconds(10);
    private static final Duration START_AT_MOST = Duration.ofSeconds(120);

    /** So long may a process hang before another one is in its place. */
    private static final Duration HANG_AT_MOST = Duration.ofSeconds(30);

    /** What the kubelet lets a container have after its preStop in any case. */
    private static final Duration LAST_GRACE = Duration.ofSeconds(2);

    private LifecycleRules() {
    }

    /** Probes ask the management port of the service, and every port name leads somewhere. */
    static Stream<String> probes(Packaging packaging) {
        Stream<String> service = packaging.servicePods().stream()
                .flatMap(pod -> service(packaging, pod));
        Stream<String> different = packaging.pods().stream()
                .filter(pod -> pod.lasting() || pod.knative())
                .filter(pod -> !pod.main().has("readinessProbe") || !pod.main().has("livenessProbe")
                        || action(pod, "readinessProbe").equals(action(pod, "livenessProbe")))
                .map(pod -> pod.id() + " needs a readiness and another liveness probe");
        Stream<String> services = packaging.all("Service").flatMap(s -> ports(packaging, s));
        Stream<String> monitors = packaging.all("PodMonitor").flatMap(monitor ->
                each(monitor.at("/spec/podMetricsEndpoints"))
                        .filter(end -> asksNobody(packaging, monitor, end))
                        .map(end -> id(monitor) + " asks an unknown port or path"));
        Stream<String> names = packaging.pods().stream().flatMap(pod -> PROBES.keySet().stream()
                .map(probe -> pod.main().path(probe).findPath("port"))
                .filter(port -> port.isTextual() && !hasPort(pod, port))
                .map(port -> pod.id() + " has a probe of the unknown port " + port));
        return Stream.of(service, different, services, monitors, names)
                .flatMap(findings -> findings);
    }

    private static String root(Packaging packaging) {
        return packaging.setting("quarkus.management.root-path").orElse("/q");
    }

    private static JsonNode action(Pod pod, String probe) {
        JsonNode node = pod.main().path(probe);
        return node.has("httpGet") ? node.path("httpGet") : node.path("exec");
    }

    private static Stream<String> service(Packaging packaging, Pod pod) {
        int port = management(packaging);
        String health = root(packaging) + "/"
                + packaging.setting("quarkus.smallrye-health.root-path").orElse("health");
        return PROBES.entrySet().stream()
                .filter(probe -> !(pod.knative() && probe.getKey().equals("startupProbe")))
                .flatMap(probe -> {
                    JsonNode get = pod.main().path(probe.getKey()).path("httpGet");
                    return Stream.of(
                            get.path("path").asText().equals(health + probe.getValue()) ? null
                                    : "does not ask " + health + probe.getValue(),
                            resolve(pod, get.path("port")) == port ? null
                                    : "asks another port than " + port);
                })
                .filter(Objects::nonNull)
                .map(finding -> pod.id() + " " + finding);
    }

    /** The time a pod may take to start is bounded on both sides. */
    static Stream<String> startBudget(Packaging packaging) {
        return packaging.servicePods().stream().filter(Pod::lasting).flatMap(pod -> {
            JsonNode probe = pod.main().path("startupProbe");
            Duration budget = Duration.ofSeconds(probe.path("periodSeconds").asLong(10))
                    .multipliedBy(probe.path("failureThreshold").asLong(3));
            return budget.compareTo(START_AT_LEAST) < 0 || budget.compareTo(START_AT_MOST) > 0
                    ? Stream.of(pod.id() + " may take " + budget + " to start")
                    : Stream.empty();
        });
    }

    /** A hung process is killed and not asked: it hears neither preStop nor SIGTERM. */
    static Stream<String> hangs(Packaging packaging) {
        if (packaging.dev()) {
            return Stream.empty();
        }
        return packaging.pods().stream().filter(Pod::lasting)
                .filter(pod -> !pod.name().equals("postgres") && pod.main().has("livenessProbe"))
                .filter(pod -> replacedAfter(pod).compareTo(HANG_AT_MOST) > 0)
                .map(pod -> pod.id() + " may hang for " + replacedAfter(pod));
    }

    private static Duration replacedAfter(Pod pod) {
        JsonNode probe = pod.main().path("livenessProbe");
        long seconds = probe.path("periodSeconds").asLong(10)
                * probe.path("failureThreshold").asLong(3)
                + probe.path("timeoutSeconds").asLong(1)
                + probe.path("terminationGracePeriodSeconds").asLong(grace(pod).toSeconds());
        return Duration.ofSeconds(seconds).plus(LAST_GRACE);
    }

    /** A rollout goes on with pods that stay ready, and gives up later than a slow start does. */
    static Stream<String> rollout(Packaging packaging) {
        return packaging.servicePods().stream().filter(Pod::lasting).flatMap(pod -> {
            JsonNode spec = pod.owner().path("spec");
            JsonNode start = pod.main().path("startupProbe");
            long starts = start.path("periodSeconds").asLong(10)
                    * start.path("failureThreshold").asLong(3);
            return Stream.of(
                    spec.path("minReadySeconds").asLong() > 0 ? ""
                            : " counts as available as soon as it is ready",
                    spec.path("progressDeadlineSeconds").asLong(600)
                            >= starts + spec.path("minReadySeconds").asLong() ? ""
                            : " is given up while it starts",
                    spec.path("progressDeadlineSeconds").asLong(600) <= 300 ? ""
                            : " is stuck for long before anybody hears of it")
                    .filter(finding -> !finding.isEmpty())
                    .map(finding -> pod.id() + finding);
        });
    }

    private static Stream<String> ports(Packaging packaging, JsonNode service) {
        return each(service.at("/spec/ports")).filter(port -> packaging
                        .selectedBy(service.at("/spec/selector"))
                        .anyMatch(pod -> !hasPort(pod, port.path("targetPort"))))
                .map(port -> id(service) + " leads to the unknown port " + port.path("targetPort"));
    }

    /** Knative lets a pod declare one port only, which is for requests. */
    private static boolean asksNobody(Packaging packaging, JsonNode monitor, JsonNode end) {
        String metrics = root(packaging) + "/"
                + packaging.setting("quarkus.micrometer.export.prometheus.path").orElse("metrics");
        return !end.path("path").asText().equals(metrics)
                || packaging.selectedBy(monitor.at("/spec/selector")).filter(Pod::lasting)
                        .anyMatch(pod -> !hasPort(pod, end.path("port")));
    }

    private static boolean hasPort(Pod pod, JsonNode name) {
        return each(pod.main().path("ports")).anyMatch(port -> port.path("name").equals(name));
    }

    private static int resolve(Pod pod, JsonNode port) {
        return each(pod.main().path("ports"))
                .filter(named -> named.path("name").equals(port))
                .map(named -> named.path("containerPort").asInt())
                .findFirst().orElse(port.asInt());
    }

    /** The declared ports are those the service listens on, and those of the images. */
    static Stream<String> declaredPorts(Packaging packaging) {
        int http = Integer.parseInt(packaging.setting("quarkus.http.port").orElse("8080"));
        List<Integer> known = List.of(http, management(packaging));
        Stream<String> pods = packaging.servicePods().stream()
                .flatMap(pod -> each(pod.main().path("ports"))
                        .map(port -> port.path("containerPort").asInt())
                        .filter(port -> !known.contains(port))
                        .map(port -> pod.id() + " declares port " + port));
        Stream<String> images = packaging.paths("src/main/docker/", "")
                .filter(path -> !packaging.file(path)
                        .contains("\nEXPOSE " + http + " " + management(packaging) + "\n"))
                .map(path -> path + " exposes other ports");
        return Stream.concat(pods, images);
    }

    private static int management(Packaging packaging) {
        return packaging.setting("quarkus.management.enabled").filter("true"::equals).isPresent()
                ? Integer.parseInt(packaging.setting("quarkus.management.port").orElse("9000"))
                : -1;
    }

    /** A pod is killed only after everything that it may do on its way out. */
    static Stream<String> grace(Packaging packaging) {
        Stream<String> service = packaging.servicePods().stream().filter(Pod::lasting)
                .filter(pod -> grace(pod).compareTo(preStop(pod)
                        .plus(Settings.duration(packaging, pod, "quarkus.shutdown.delay"))
                        .plus(Settings.duration(packaging, pod, "quarkus.shutdown.timeout"))) <= 0)
                .map(pod -> pod.id() + " is killed while it drains");
        Stream<String> sleeps = packaging.servicePods().stream()
                .filter(pod -> pod.id().equals("Deployment/rush-api"))
                .filter(pod -> preStop(pod).isZero())
                .map(pod -> pod.id() + " stops before proxies have forgotten it");
        return Stream.of(service, sleeps, redisGrace(packaging), patience(packaging))
                .flatMap(findings -> findings);
    }

    private static Stream<String> redisGrace(Packaging packaging) {
        Pod redis = new Pod(packaging.get("StatefulSet", "redis"));
        String script = "k8s/redis/scripts/prestop.sh";
        long seconds = Stream.of(
                        Settings.in(packaging, script, "REDIS_PRESTOP_SECONDS:-(\\d+)"),
                        Settings.in(packaging, script, "^linger_seconds=(\\d+)"),
                        Settings.in(packaging, "k8s/redis/config/redis.conf",
                                "^shutdown-timeout (\\d+)"))
                .mapToLong(Long::parseLong).sum();
        return grace(redis).toSeconds() > seconds
                ? Stream.empty()
                : Stream.of(redis.id() + " is killed while it hands over");
    }

    /** Half the timeout after which a node counts as dead, it is asked whether it is there. */
    private static Stream<String> patience(Packaging packaging) {
        long patience = 1000 * Long.parseLong(Settings.in(packaging,
                "k8s/redis/scripts/prestop.sh", "REDIS_REPLICA_SECONDS:-(\\d+)"));
        long timeout = Long.parseLong(Settings.in(packaging, "k8s/redis/config/redis.conf",
                "^cluster-node-timeout (\\d+)"));
        return patience > timeout / 2
                ? Stream.empty()
                : Stream.of("a stopping master misses a replica that has just started");
    }

    private static Duration grace(Pod pod) {
        return Duration.ofSeconds(pod.spec().path("terminationGracePeriodSeconds").asLong(30));
    }

    private static Duration preStop(Pod pod) {
        return Duration.ofSeconds(pod.main().at("/lifecycle/preStop/sleep/seconds").asLong());
    }
}
