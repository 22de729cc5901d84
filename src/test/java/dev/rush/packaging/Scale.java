package dev.rush.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;

/** How many pods a workload has at least and at most. */
final class Scale {

    private static final String MAX_SCALE = "autoscaling.knative.dev/max-scale";

    private Scale() {
    }

    /** Returns the autoscalers of Kubernetes and KEDA that target this workload. */
    static List<JsonNode> autoscalers(Packaging packaging, Pod pod) {
        return Stream.of("HorizontalPodAutoscaler", "ScaledObject").flatMap(packaging::all)
                .filter(hpa -> id(hpa.at("/spec/scaleTargetRef")).equals(pod.id()))
                .toList();
    }

    static int minPods(Packaging packaging, Pod pod) {
        return autoscalers(packaging, pod).stream()
                .mapToInt(hpa -> floor(hpa))
                .min().orElse(replicas(pod));
    }

    static int maxPods(Packaging packaging, Pod pod) {
        return autoscalers(packaging, pod).stream()
                .mapToInt(hpa -> ceiling(hpa))
                .max().orElse(replicas(pod));
    }

    static int floor(JsonNode scaler) {
        return scaler.at("/spec/minReplicas").asInt(scaler.at("/spec/minReplicaCount").asInt(1));
    }

    static int ceiling(JsonNode scaler) {
        return scaler.at("/spec/maxReplicas").asInt(scaler.at("/spec/maxReplicaCount").asInt());
    }

    static int maxPodsInRollout(Packaging packaging, Pod pod) {
        int max = maxPods(packaging, pod);
        JsonNode surge = pod.owner().at("/spec/strategy/rollingUpdate/maxSurge");
        return max + part(surge, max);
    }

    /** Resolves a number, or a percentage of the whole rounded up as Kubernetes does. */
    static int part(JsonNode value, int whole) {
        String text = value.asText("0");
        return text.endsWith("%")
                ? (whole * Integer.parseInt(text.replace("%", "")) + 99) / 100
                : value.asInt();
    }

    private static int replicas(Pod pod) {
        if (pod.knative()) {
            return pod.owner().at("/spec/template/metadata/annotations").path(MAX_SCALE).asInt();
        }
        return pod.owner().at("/spec/replicas").asInt(1);
    }

    private static String id(JsonNode reference) {
        return reference.path("kind").asText() + "/" + reference.path("name").asText();
    }
}
