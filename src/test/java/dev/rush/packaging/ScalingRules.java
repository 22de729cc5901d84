package dev.rush.packaging;

import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;

/** How many pods a workload has, how fast it scales, and how many may be unavailable. */
final class ScalingRules {

    private static final int EVENT_LOOPS_PER_CPU = 2;

    private ScalingRules() {
    }

    /** A Deployment has either a fixed number of pods or one autoscaler, and at least two pods. */
    static void autoscaling(Packaging packaging, Findings findings) {
        for (Pod pod : packaging.pods()) {
            if (Packaging.kind(pod.owner()).equals("Deployment")) {
                int owners = Scale.autoscalers(packaging, pod).size()
                        + (pod.owner().at("/spec").has("replicas") ? 1 : 0);
                findings.demand(owners == 1,
                        pod.id() + " has " + owners + " owners of its number of pods");
                findings.demand(Scale.minPods(packaging, pod) >= 2,
                        pod.id() + " may have a single pod");
            }
        }
        Stream.of("HorizontalPodAutoscaler", "ScaledObject").flatMap(packaging::all)
                .forEach(scaler -> autoscaler(scaler, findings.about(id(scaler))));
        packaging.all("ScaledObject")
                .forEach(scaled -> schedule(packaging, scaled, findings.about(id(scaled))));
    }

    /** An autoscaler scales up at once and in large steps, and down slowly. */
    private static void autoscaler(JsonNode scaler, Findings findings) {
        JsonNode behavior = scaler.at(scaler.path("kind").asText().equals("ScaledObject")
                ? "/spec/advanced/horizontalPodAutoscalerConfig/behavior" : "/spec/behavior");
        JsonNode up = behavior.path("scaleUp");
        JsonNode down = behavior.path("scaleDown");
        findings.demand(Scale.ceiling(scaler) > Scale.floor(scaler), "cannot scale up");
        findings.demand(up.path("stabilizationWindowSeconds").asInt(-1) == 0,
                "waits before it scales up");
        findings.demand(up.path("selectPolicy").asText().equals("Max"),
                "does not use its largest step");
        findings.demand(up.path("policies").valueStream().anyMatch(policy ->
                policy.path("type").asText().equals("Pods") && policy.path("value").asInt() >= 10),
                "scales up slowly from few pods");
        findings.demand(down.path("stabilizationWindowSeconds").asInt() >= 300,
                "scales down too soon");
    }

    /** KEDA scales by load and by schedule, and keeps its pods when Prometheus fails. */
    private static void schedule(Packaging packaging, JsonNode scaled, Findings findings) {
        List<String> types = nodes(scaled, "/spec/triggers/*/type").stream()
                .map(JsonNode::asText).toList();
        findings.demand(types.contains("prometheus"), "ignores the load");
        findings.demand(types.contains("cron"), "does not scale up before a sale");
        findings.demand(packaging.dev()
                || nodes(scaled, "/spec/triggers/*/metadata/desiredReplicas").stream()
                        .allMatch(pods -> pods.asInt() <= Scale.ceiling(scaled)),
                "is scheduled beyond its maximum");
        findings.demand(scaled.at("/spec/fallback").has("replicas"),
                "has no fallback without Prometheus");
    }

    /** All pods together need fewer connections than a Redis node allows. */
    static void redisConnections(Packaging packaging, Findings findings) {
        int allowed = Integer.parseInt(
                Settings.in(packaging, "k8s/redis/config/redis.conf", "^maxclients (\\d+)"));
        int needed = packaging.servicePods().stream()
                .mapToInt(pod -> Scale.maxPodsInRollout(packaging, pod)
                        * (Integer.parseInt(Settings.of(
                                packaging, pod, "quarkus.redis.max-pool-size").orElse("6"))
                                + EVENT_LOOPS_PER_CPU * ResourceRules.cpus(pod.main())))
                .sum();
        findings.demand(needed < allowed,
                needed + " connections to a Redis node that allows " + allowed);
    }

    /** Every workload can be drained pod by pod, without losing more pods than it can spare. */
    static void disruption(Packaging packaging, Findings findings) {
        packaging.pods().stream().filter(Pod::isReplicated)
                .filter(pod -> Scale.minPods(packaging, pod) > 1)
                .forEach(pod -> disruption(packaging, pod, findings.about(pod.id())));
    }

    private static void disruption(Packaging packaging, Pod pod, Findings findings) {
        List<JsonNode> budgets = packaging.all("PodDisruptionBudget")
                .filter(pdb -> Labels.match(pdb.at("/spec/selector"), pod.labels()))
                .toList();
        findings.demand(budgets.size() == 1, "has " + budgets.size() + " disruption budgets");
        int pods = Scale.minPods(packaging, pod);
        // Half of the pods are masters, and promoting a replica takes a majority of them.
        int max = pod.name().equals("redis") ? (pods / 2 - 1) / 2 : pods - 1;
        for (JsonNode budget : budgets) {
            int missing = Scale.part(budget.at("/spec/maxUnavailable"), pods);
            findings.demand(missing >= 1 && missing <= max,
                    "may lose " + missing + " pods of " + pods);
        }
        findings.demand(pod.spec().path("topologySpreadConstraints").valueStream().anyMatch(
                spread -> spread.path("topologyKey").asText().equals("kubernetes.io/hostname")
                        && Labels.match(spread.path("labelSelector"), pod.labels())),
                "is not spread across nodes");
        JsonNode spec = pod.owner().path("spec");
        findings.demand(spec.at("/strategy/type").asText(spec.at("/updateStrategy/type").asText())
                .equals("RollingUpdate"), "is not replaced pod by pod");
    }
}
