package dev.rush.packaging;

import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** How pods start, are probed, are rolled out and stop. */
final class LifecycleRules {

    private static final Map<String, String> PROBES = Map.of(
            "startupProbe", "/started",
            "readinessProbe", "/ready",
            "livenessProbe", "/live");

    /** Bounds of the time that the startup probe allows. */
    private static final Duration START_MIN = Duration.ofSeconds(10);
    private static final Duration START_MAX = Duration.ofSeconds(120);

    /** Time within which a process that hangs must be killed. */
    private static final Duration HANG_MAX = Duration.ofSeconds(30);

    /** The kubelet grants a container at least this after its preStop hook. */
    private static final Duration KUBELET_GRACE_MIN = Duration.ofSeconds(2);

    private LifecycleRules() {
    }

    /** Probes call the management port of the service, and every port name is declared. */
    static void probes(Packaging packaging, Findings findings) {
        packaging.servicePods()
                .forEach(pod -> serviceProbes(packaging, pod, findings.about(pod.id())));
        for (Pod pod : packaging.pods()) {
            findings.demand(!pod.isReplicated() && !pod.knative()
                    || pod.main().has("readinessProbe") && pod.main().has("livenessProbe")
                    && !action(pod, "readinessProbe").equals(action(pod, "livenessProbe")),
                    pod.id() + " needs a readiness probe and a different liveness probe");
            PROBES.keySet().stream().map(probe -> pod.main().path(probe).findPath("port"))
                    .forEach(port -> findings.demand(!port.isTextual() || hasPort(pod, port),
                            pod.id() + " probes the unknown port " + port));
        }
        packaging.all("Service").forEach(service -> nodes(service, "/spec/ports/*/targetPort")
                .forEach(port -> findings.demand(
                        packaging.selectedBy(service.at("/spec/selector"))
                                .allMatch(pod -> hasPort(pod, port)),
                        id(service) + " targets the unknown port " + port)));
        String metrics = managementRoot(packaging) + "/"
                + packaging.setting("quarkus.micrometer.export.prometheus.path").orElse("metrics");
        // Knative lets a pod declare only one port, the one for requests.
        packaging.all("PodMonitor").forEach(monitor -> nodes(
                monitor, "/spec/podMetricsEndpoints/*").forEach(end -> findings.demand(
                        end.path("path").asText().equals(metrics)
                                && packaging.selectedBy(monitor.at("/spec/selector"))
                                        .filter(Pod::isReplicated)
                                        .allMatch(pod -> hasPort(pod, end.path("port"))),
                        id(monitor) + " scrapes an unknown port or path")));
    }

    private static String managementRoot(Packaging packaging) {
        return packaging.setting("quarkus.management.root-path").orElse("/q");
    }

    private static JsonNode action(Pod pod, String probe) {
        JsonNode node = pod.main().path(probe);
        return node.has("httpGet") ? node.path("httpGet") : node.path("exec");
    }

    private static void serviceProbes(Packaging packaging, Pod pod, Findings findings) {
        int port = managementPort(packaging);
        String health = managementRoot(packaging) + "/"
                + packaging.setting("quarkus.smallrye-health.root-path").orElse("health");
        PROBES.forEach((probe, path) -> {
            JsonNode get = pod.main().path(probe).path("httpGet");
            boolean knativeDefault = pod.knative() && probe.equals("startupProbe");
            findings.demand(knativeDefault || get.path("path").asText().equals(health + path),
                    "does not probe " + health + path);
            findings.demand(knativeDefault || resolve(pod, get.path("port")) == port,
                    "probes another port than " + port);
        });
    }

    /** Returns how long a pod may take to start before the kubelet restarts it. */
    private static Duration startLimit(Pod pod) {
        JsonNode probe = pod.main().path("startupProbe");
        return Duration.ofSeconds(probe.path("periodSeconds").asLong(10)
                * probe.path("failureThreshold").asLong(3));
    }

    private static Stream<Pod> replicatedServicePods(Packaging packaging) {
        return packaging.servicePods().stream().filter(Pod::isReplicated);
    }

    /** The startup probe allows neither too little time nor too much. */
    static void startBudget(Packaging packaging, Findings findings) {
        replicatedServicePods(packaging).forEach(pod -> findings.demand(
                startLimit(pod).compareTo(START_MIN) >= 0
                        && startLimit(pod).compareTo(START_MAX) <= 0,
                pod.id() + " may take " + startLimit(pod) + " to start"));
    }

    /** A process that hangs is killed soon, although it reacts to neither preStop nor SIGTERM. */
    static void hangs(Packaging packaging, Findings findings) {
        packaging.pods().stream().filter(pod -> !packaging.dev() && pod.isReplicated())
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
        return Duration.ofSeconds(seconds).plus(KUBELET_GRACE_MIN);
    }

    /** A rollout waits until pods have stayed ready, and outlasts a slow start. */
    static void rollout(Packaging packaging, Findings all) {
        replicatedServicePods(packaging).forEach(pod -> {
            Findings findings = all.about(pod.id());
            long ready = pod.owner().at("/spec/minReadySeconds").asLong();
            long limit = pod.owner().at("/spec/progressDeadlineSeconds").asLong(600);
            findings.demand(ready > 0, "is available as soon as it is ready");
            findings.demand(limit >= startLimit(pod).toSeconds() + ready,
                    "may exceed the progress deadline while it starts");
            findings.demand(limit <= 300, "reports a stuck rollout too late");
        });
    }

    private static boolean hasPort(Pod pod, JsonNode name) {
        return pod.main().path("ports").valueStream()
                .anyMatch(port -> port.path("name").equals(name));
    }

    private static int resolve(Pod pod, JsonNode port) {
        return pod.main().path("ports").valueStream()
                .filter(named -> named.path("name").equals(port))
                .map(named -> named.path("containerPort").asInt())
                .findFirst().orElse(port.asInt());
    }

    /** Pods and images declare the ports that the service listens on. */
    static void declaredPorts(Packaging packaging, Findings findings) {
        int http = Integer.parseInt(packaging.setting("quarkus.http.port").orElse("8080"));
        List<Integer> known = List.of(http, managementPort(packaging));
        packaging.servicePods().forEach(pod -> nodes(pod.main(), "/ports/*/containerPort")
                .forEach(port -> findings.demand(known.contains(port.asInt()),
                        pod.id() + " declares port " + port)));
        packaging.paths("src/main/docker/", "").forEach(path -> findings.demand(
                packaging.file(path).contains(
                        "\nEXPOSE " + http + " " + managementPort(packaging) + "\n"),
                path + " exposes other ports"));
    }

    private static int managementPort(Packaging packaging) {
        return packaging.setting("quarkus.management.enabled").filter("true"::equals).isPresent()
                ? Integer.parseInt(packaging.setting("quarkus.management.port").orElse("9000"))
                : -1;
    }

    /** The grace period covers everything that a pod does while it stops. */
    static void grace(Packaging packaging, Findings findings) {
        replicatedServicePods(packaging).forEach(pod -> {
            findings.demand(grace(pod).compareTo(preStop(pod)
                    .plus(Settings.duration(packaging, pod, "quarkus.shutdown.delay"))
                    .plus(Settings.duration(packaging, pod, "quarkus.shutdown.timeout"))) > 0,
                    pod.id() + " is killed while it drains");
            findings.demand(!pod.id().equals("Deployment/rush-api") || !preStop(pod).isZero(),
                    pod.id() + " stops before proxies have removed it");
        });
        String script = "k8s/redis/scripts/prestop.sh";
        String conf = "k8s/redis/config/redis.conf";
        long seconds = number(packaging, script, "REDIS_PRESTOP_SECONDS:-(\\d+)")
                + number(packaging, script, "^linger_seconds=(\\d+)")
                + number(packaging, conf, "^shutdown-timeout (\\d+)");
        findings.demand(grace(new Pod(packaging.get("StatefulSet", "redis"))).toSeconds() > seconds,
                "Redis is killed during the handover");
        // Redis pings every node within half the node timeout, and so sees a replica that is back.
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
