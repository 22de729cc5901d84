package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;
import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** How pods start, are asked how they are, and stop. */
final class LifecycleRules {

    private static final Map<String, String> PROBES = Map.of(
            "startupProbe", "/started",
            "readinessProbe", "/ready",
            "livenessProbe", "/live");

    /** A pod may take so long to start before it is given up: long enough, and not for ever. */
    private static final Duration START_MIN = Duration.ofSeconds(10);
    private static final Duration START_MAX = Duration.ofSeconds(120);

    /** So long may a process hang before another one is in its place. */
    private static final Duration HANG_MAX = Duration.ofSeconds(30);

    /** What the kubelet lets a container have after its preStop in any case. */
    private static final Duration LAST_GRACE = Duration.ofSeconds(2);

    private LifecycleRules() {
    }

    /** Probes ask the management port of the service, and every port name leads somewhere. */
    static void probes(Packaging packaging, Findings findings) {
        packaging.servicePods().forEach(pod -> service(packaging, pod, findings.about(pod.id())));
        for (Pod pod : packaging.pods()) {
            findings.demand(!pod.lasting() && !pod.knative() || pod.main().has("readinessProbe")
                    && pod.main().has("livenessProbe")
                    && !action(pod, "readinessProbe").equals(action(pod, "livenessProbe")),
                    pod.id() + " needs a readiness and another liveness probe");
            PROBES.keySet().stream().map(probe -> pod.main().path(probe).findPath("port"))
                    .forEach(port -> findings.demand(!port.isTextual() || hasPort(pod, port),
                            pod.id() + " has a probe of the unknown port " + port));
        }
        packaging.all("Service").forEach(service -> nodes(service, "/spec/ports/*/targetPort")
                .forEach(port -> findings.demand(
                        packaging.selectedBy(service.at("/spec/selector"))
                                .allMatch(pod -> hasPort(pod, port)),
                        id(service) + " leads to the unknown port " + port)));
        String metrics = root(packaging) + "/"
                + packaging.setting("quarkus.micrometer.export.prometheus.path").orElse("metrics");
        // Knative lets a pod declare one port only, which is for requests.
        packaging.all("PodMonitor").forEach(monitor -> nodes(
                monitor, "/spec/podMetricsEndpoints/*").forEach(end -> findings.demand(
                        end.path("path").asText().equals(metrics)
                                && packaging.selectedBy(monitor.at("/spec/selector"))
                                        .filter(Pod::lasting)
                                        .allMatch(pod -> hasPort(pod, end.path("port"))),
                        id(monitor) + " asks an unknown port or path")));
    }

    private static String root(Packaging packaging) {
        return packaging.setting("quarkus.management.root-path").orElse("/q");
    }

    private static JsonNode action(Pod pod, String probe) {
        JsonNode node = pod.main().path(probe);
        return node.has("httpGet") ? node.path("httpGet") : node.path("exec");
    }

    private static void service(Packaging packaging, Pod pod, Findings findings) {
        int port = management(packaging);
        String health = root(packaging) + "/"
                + packaging.setting("quarkus.smallrye-health.root-path").orElse("health");
        PROBES.forEach((probe, path) -> {
            JsonNode get = pod.main().path(probe).path("httpGet");
            boolean knatives = pod.knative() && probe.equals("startupProbe");
            findings.demand(knatives || get.path("path").asText().equals(health + path),
                    "does not ask " + health + path);
            findings.demand(knatives || resolve(pod, get.path("port")) == port,
                    "asks another port than " + port);
        });
    }

    /** So long may a pod take until it counts as started, or failed. */
    private static Duration start(Pod pod) {
        JsonNode probe = pod.main().path("startupProbe");
        return Duration.ofSeconds(probe.path("periodSeconds").asLong(10)
                * probe.path("failureThreshold").asLong(3));
    }

    private static Stream<Pod> lastingServicePods(Packaging packaging) {
        return packaging.servicePods().stream().filter(Pod::lasting);
    }

    /** The time a pod may take to start is bounded on both sides. */
    static void startBudget(Packaging packaging, Findings findings) {
        lastingServicePods(packaging).forEach(pod -> findings.demand(
                start(pod).compareTo(START_MIN) >= 0
                        && start(pod).compareTo(START_MAX) <= 0,
                pod.id() + " may take " + start(pod) + " to start"));
    }

    /** A hung process is killed and not asked: it hears neither preStop nor SIGTERM. */
    static void hangs(Packaging packaging, Findings findings) {
        packaging.pods().stream().filter(pod -> !packaging.dev() && pod.lasting())
                .filter(pod -> !pod.name().equals("postgres") && pod.main().has("livenessProbe"))
                .forEach(pod -> findings.demand(replacedAfter(pod).compareTo(HANG_MAX) <= 0,
                        pod.id() + " may hang for " + replacedAfter(pod)));
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
    static void rollout(Packaging packaging, Findings all) {
        lastingServicePods(packaging).forEach(pod -> {
            Findings findings = all.about(pod.id());
            long ready = pod.owner().at("/spec/minReadySeconds").asLong();
            long limit = pod.owner().at("/spec/progressDeadlineSeconds").asLong(600);
            findings.demand(ready > 0, "counts as available as soon as it is ready");
            findings.demand(limit >= start(pod).toSeconds() + ready, "is given up while it starts");
            findings.demand(limit <= 300, "is stuck for long before anybody hears of it");
        });
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
    static void declaredPorts(Packaging packaging, Findings findings) {
        int http = Integer.parseInt(packaging.setting("quarkus.http.port").orElse("8080"));
        List<Integer> known = List.of(http, management(packaging));
        packaging.servicePods().forEach(pod -> nodes(pod.main(), "/ports/*/containerPort")
                .forEach(port -> findings.demand(known.contains(port.asInt()),
                        pod.id() + " declares port " + port)));
        packaging.paths("src/main/docker/", "").forEach(path -> findings.demand(
                packaging.file(path).contains(
                        "\nEXPOSE " + http + " " + management(packaging) + "\n"),
                path + " exposes other ports"));
    }

    private static int management(Packaging packaging) {
        return packaging.setting("quarkus.management.enabled").filter("true"::equals).isPresent()
                ? Integer.parseInt(packaging.setting("quarkus.management.port").orElse("9000"))
                : -1;
    }

    /** A pod is killed only after everything that it may do on its way out. */
    static void grace(Packaging packaging, Findings findings) {
        lastingServicePods(packaging).forEach(pod -> {
            findings.demand(grace(pod).compareTo(preStop(pod)
                    .plus(Settings.duration(packaging, pod, "quarkus.shutdown.delay"))
                    .plus(Settings.duration(packaging, pod, "quarkus.shutdown.timeout"))) > 0,
                    pod.id() + " is killed while it drains");
            findings.demand(!pod.id().equals("Deployment/rush-api") || !preStop(pod).isZero(),
                    pod.id() + " stops before proxies have forgotten it");
        });
        String script = "k8s/redis/scripts/prestop.sh";
        String conf = "k8s/redis/config/redis.conf";
        long seconds = number(packaging, script, "REDIS_PRESTOP_SECONDS:-(\\d+)")
                + number(packaging, script, "^linger_seconds=(\\d+)")
                + number(packaging, conf, "^shutdown-timeout (\\d+)");
        findings.demand(grace(new Pod(packaging.get("StatefulSet", "redis"))).toSeconds() > seconds,
                "Redis is killed while it hands over");
        // Half the timeout after which a node counts as dead, it is asked whether it is there.
        findings.demand(1000 * number(packaging, script, "REDIS_REPLICA_SECONDS:-(\\d+)")
                > number(packaging, conf, "^cluster-node-timeout (\\d+)") / 2,
                "a stopping master misses a replica that has just started");
    }

    private static long number(Packaging packaging, String path, String pattern) {
        return Long.parseLong(Settings.in(packaging, path, pattern));
    }

    private static Duration grace(Pod pod) {
        return Duration.ofSeconds(pod.spec().path("terminationGracePeriodSeconds").asLong(30));
    }

    private static Duration preStop(Pod pod) {
        return Duration.ofSeconds(pod.main().at("/lifecycle/preStop/sleep/seconds").asLong());
    }
}
