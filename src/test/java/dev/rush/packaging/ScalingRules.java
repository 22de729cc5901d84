package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;
import static dev.rush.packaging.Packaging.id;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;

/** How many pods there are, how fast that changes, and how many may be missing. */
final class ScalingRules {

    private static final int EVENT_LOOPS_PER_CPU = 2;

    private ScalingRules() {
    }

    /** A Deployment has a number or one autoscaler that owns it, and two pods at least. */
    static Stream<String> autoscaling(Packaging packaging) {
        Stream<String> owners = packaging.pods().stream()
                .filter(pod -> Packaging.kind(pod.owner()).equals("Deployment"))
                .flatMap(pod -> owner(packaging, pod));
        Stream<String> scalers = Stream.of("HorizontalPodAutoscaler", "ScaledObject")
                .flatMap(packaging::all).flatMap(ScalingRules::autoscaler);
        Stream<String> schedules = packaging.all("ScaledObject")
                .flatMap(scaled -> schedule(packaging, scaled));
        return Stream.of(owners, scalers, schedules).flatMap(findings -> findings);
    }

    private static Stream<String> owner(Packaging packaging, Pod pod) {
        int owners = Scale.autoscalers(packaging, pod).size()
                + (pod.owner().at("/spec").has("replicas") ? 1 : 0);
        return Stream.concat(
                owners == 1 ? Stream.empty()
                        : Stream.of(pod.id() + " has " + owners + " owners of its number"),
                Scale.fewestPods(packaging, pod) >= 2 ? Stream.empty()
                        : Stream.of(pod.id() + " may be a single pod"));
    }

    /** Up at once and by much, down slowly. */
    private static Stream<String> autoscaler(JsonNode hpa) {
        JsonNode behavior = hpa.at(hpa.path("kind").asText().equals("ScaledObject")
                ? "/spec/advanced/horizontalPodAutoscalerConfig/behavior" : "/spec/behavior");
        JsonNode up = behavior.path("scaleUp");
        JsonNode down = behavior.path("scaleDown");
        return Stream.of(
                Scale.ceiling(hpa) > Scale.floor(hpa) ? ""
                        : "has no room above its floor",
                up.path("stabilizationWindowSeconds").asInt(-1) == 0 ? "" : "hesitates to grow",
                up.path("selectPolicy").asText().equals("Max") ? "" : "grows by less than it may",
                each(up.path("policies")).anyMatch(p -> p.path("type").asText().equals("Pods")
                        && p.path("value").asInt() >= 10) ? "" : "grows slowly from a low floor",
                down.path("stabilizationWindowSeconds").asInt() >= 300 ? "" : "shrinks too soon")
                .filter(finding -> !finding.isEmpty())
                .map(finding -> id(hpa) + " " + finding);
    }

    /** KEDA grows for a date and for a load, and does not shrink when it sees neither. */
    private static Stream<String> schedule(Packaging packaging, JsonNode scaled) {
        List<String> types = each(scaled.at("/spec/triggers"))
                .map(trigger -> trigger.path("type").asText()).toList();
        boolean fits = each(scaled.at("/spec/triggers"))
                .map(trigger -> trigger.at("/metadata/desiredReplicas").asInt())
                .allMatch(pods -> pods <= Scale.ceiling(scaled));
        return Stream.of(
                types.contains("prometheus") ? "" : "does not see the load",
                types.contains("cron") ? "" : "does not grow before a sale",
                packaging.dev() || fits ? "" : "is to grow beyond its limit",
                scaled.at("/spec/fallback").has("replicas") ? "" : "falls when Prometheus does")
                .filter(finding -> !finding.isEmpty())
                .map(finding -> id(scaled) + " " + finding);
    }

    /** All pods together stay below the number of clients that a Redis node serves. */
    static Stream<String> redisConnections(Packaging packaging) {
        int allowed = Integer.parseInt(
                Settings.in(packaging, "k8s/redis/config/redis.conf", "^maxclients (\\d+)"));
        int needed = packaging.servicePods().stream()
                .mapToInt(pod -> Scale.mostPodsInRollout(packaging, pod)
                        * (pool(packaging, pod)
                                + EVENT_LOOPS_PER_CPU * ResourceRules.cpus(pod.main())))
                .sum();
        return needed < allowed
                ? Stream.empty()
                : Stream.of(needed + " connections to a Redis node that allows " + allowed);
    }

    private static int pool(Packaging packaging, Pod pod) {
        return Integer.parseInt(
                Settings.of(packaging, pod, "quarkus.redis.max-pool-size").orElse("6"));
    }

    /** Every workload can be evicted one pod at a time, and no more than it can miss. */
    static Stream<String> disruption(Packaging packaging) {
        return packaging.pods().stream()
                .filter(Pod::lasting)
                .filter(pod -> Scale.fewestPods(packaging, pod) > 1)
                .flatMap(pod -> disruption(packaging, pod)
                        .map(finding -> pod.id() + " " + finding));
    }

    private static Stream<String> disruption(Packaging packaging, Pod pod) {
        List<JsonNode> budgets = packaging.all("PodDisruptionBudget")
                .filter(pdb -> Labels.match(pdb.at("/spec/selector"), pod.labels()))
                .toList();
        if (budgets.size() != 1) {
            return Stream.of("has " + budgets.size() + " disruption budgets");
        }
        int pods = Scale.fewestPods(packaging, pod);
        int missing = Scale.part(budgets.get(0).at("/spec/maxUnavailable"), pods);
        int most = pod.name().equals("redis") ? spareMasters(pods) : pods - 1;
        return Stream.of(
                missing >= 1 ? "" : "can never be evicted",
                missing <= most ? "" : "may miss " + missing + " pods of " + pods,
                each(pod.spec().path("topologySpreadConstraints")).anyMatch(spread -> spread
                        .path("topologyKey").asText().equals("kubernetes.io/hostname")
                        && Labels.match(spread.path("labelSelector"), pod.labels()))
                        ? "" : "is not spread over machines",
                strategy(pod).equals("RollingUpdate") ? "" : "is not replaced pod by pod")
                .filter(finding -> !finding.isEmpty());
    }

    /** Masters that may be gone while the rest is still the majority that promotes a replica. */
    private static int spareMasters(int pods) {
        int masters = pods / 2;
        return (masters - 1) / 2;
    }

    private static String strategy(Pod pod) {
        JsonNode spec = pod.owner().path("spec");
        return spec.path("strategy").path("type")
                .asText(spec.path("updateStrategy").path("type").asText());
    }
}
