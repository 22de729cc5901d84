package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;
import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;

/** How many pods there are, how fast that changes, and how many may be missing. */
final class ScalingRules {

    private static final int EVENT_LOOPS_PER_CPU = 2;

    private ScalingRules() {
    }

    /** A Deployment has a number or one autoscaler that owns it, and two pods at least. */
    static void autoscaling(Packaging packaging, Findings findings) {
        for (Pod pod : packaging.pods()) {
            if (Packaging.kind(pod.owner()).equals("Deployment")) {
                int owners = Scale.autoscalers(packaging, pod).size()
                        + (pod.owner().at("/spec").has("replicas") ? 1 : 0);
                findings.demand(owners == 1, pod.id() + " has " + owners + " numbers");
                findings.demand(Scale.fewestPods(packaging, pod) >= 2,
                        pod.id() + " may be a single pod");
            }
        }
        Stream.of("HorizontalPodAutoscaler", "ScaledObject").flatMap(packaging::all)
                .forEach(scaler -> autoscaler(scaler, findings.about(id(scaler))));
        packaging.all("ScaledObject")
                .forEach(scaled -> schedule(packaging, scaled, findings.about(id(scaled))));
    }

    /** Up at once and by much, down slowly. */
    private static void autoscaler(JsonNode scaler, Findings findings) {
        JsonNode behavior = scaler.at(scaler.path("kind").asText().equals("ScaledObject")
                ? "/spec/advanced/horizontalPodAutoscalerConfig/behavior" : "/spec/behavior");
        JsonNode up = behavior.path("scaleUp");
        JsonNode down = behavior.path("scaleDown");
        findings.demand(Scale.ceiling(scaler) > Scale.floor(scaler), "has no room over its floor");
        findings.demand(up.path("stabilizationWindowSeconds").asInt(-1) == 0, "hesitates to grow");
        findings.demand(up.path("selectPolicy").asText().equals("Max"),
                "grows by less than it may");
        findings.demand(each(up.path("policies")).anyMatch(policy -> policy.path("type").asText()
                .equals("Pods") && policy.path("value").asInt() >= 10),
                "grows slowly from a low floor");
        findings.demand(down.path("stabilizationWindowSeconds").asInt() >= 300,
                "shrinks too soon");
    }

    /** KEDA grows for a date and for a load, and does not shrink when it sees neither. */
    private static void schedule(Packaging packaging, JsonNode scaled, Findings findings) {
        List<String> types = nodes(scaled, "/spec/triggers/*/type").stream()
                .map(JsonNode::asText).toList();
        findings.demand(types.contains("prometheus"), "does not see the load");
        findings.demand(types.contains("cron"), "does not grow before a sale");
        findings.demand(packaging.dev()
                || nodes(scaled, "/spec/triggers/*/metadata/desiredReplicas").stream()
                        .allMatch(pods -> pods.asInt() <= Scale.ceiling(scaled)),
                "is to grow beyond its limit");
        findings.demand(scaled.at("/spec/fallback").has("replicas"), "falls when Prometheus does");
    }

    /** All pods together stay below the number of clients that a Redis node serves. */
    static void redisConnections(Packaging packaging, Findings findings) {
        int allowed = Integer.parseInt(
                Settings.in(packaging, "k8s/redis/config/redis.conf", "^maxclients (\\d+)"));
        int needed = packaging.servicePods().stream()
                .mapToInt(pod -> Scale.mostPodsInRollout(packaging, pod)
                        * (Integer.parseInt(Settings.of(
                                packaging, pod, "quarkus.redis.max-pool-size").orElse("6"))
                                + EVENT_LOOPS_PER_CPU * ResourceRules.cpus(pod.main())))
                .sum();
        findings.demand(needed < allowed,
                needed + " connections to a Redis node that allows " + allowed);
    }

    /** Every workload can be evicted one pod at a time, and no more than it can miss. */
    static void disruption(Packaging packaging, Findings findings) {
        packaging.pods().stream().filter(Pod::lasting)
                .filter(pod -> Scale.fewestPods(packaging, pod) > 1)
                .forEach(pod -> disruption(packaging, pod, findings.about(pod.id())));
    }

    private static void disruption(Packaging packaging, Pod pod, Findings findings) {
        List<JsonNode> budgets = packaging.all("PodDisruptionBudget")
                .filter(pdb -> Labels.match(pdb.at("/spec/selector"), pod.labels()))
                .toList();
        findings.demand(budgets.size() == 1, "has " + budgets.size() + " disruption budgets");
        int pods = Scale.fewestPods(packaging, pod);
        // Of the masters, half of the pods, a majority is needed to promote a replica.
        int max = pod.name().equals("redis") ? (pods / 2 - 1) / 2 : pods - 1;
        for (JsonNode budget : budgets) {
            int missing = Scale.part(budget.at("/spec/maxUnavailable"), pods);
            findings.demand(missing >= 1 && missing <= max,
                    "may miss " + missing + " pods of " + pods);
        }
        findings.demand(each(pod.spec().path("topologySpreadConstraints")).anyMatch(spread -> spread
                .path("topologyKey").asText().equals("kubernetes.io/hostname")
                && Labels.match(spread.path("labelSelector"), pod.labels())),
                "is not spread over machines");
        JsonNode spec = pod.owner().path("spec");
        findings.demand(spec.at("/strategy/type").asText(spec.at("/updateStrategy/type").asText())
                .equals("RollingUpdate"), "is not replaced pod by pod");
    }
}
