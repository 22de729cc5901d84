package dev.rush.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** How many pods a workload has, and may have. */
final class Scale {

    private static final String MAX_SCALE = "autoscaling.knative.dev/max-scale";

    private Scale() {
    }

    /** The autoscalers that claim this workload. */
    static List<JsonNode> autoscalers(Packaging packaging, Pod pod) {
        return packaging.all("HorizontalPodAutoscaler")
                .filter(hpa -> id(hpa.at("/spec/scaleTargetRef")).equals(pod.id()))
                .toList();
    }

    static int fewestPods(Packaging packaging, Pod pod) {
        return autoscalers(packaging, pod).stream()
                .mapToInt(hpa -> hpa.at("/spec/minReplicas").asInt(1))
                .min().orElse(replicas(pod));
    }

    static int mostPods(Packaging packaging, Pod pod) {
        return autoscalers(packaging, pod).stream()
                .mapToInt(hpa -> hpa.at("/spec/maxReplicas").asInt())
                .max().orElse(replicas(pod));
    }

    static int mostPodsInRollout(Packaging packaging, Pod pod) {
        int most = mostPods(packaging, pod);
        JsonNode surge = pod.owner().at("/spec/strategy/rollingUpdate/maxSurge");
        return most + part(surge, most);
    }

    /** A number or a percentage of a whole, rounded up as Kubernetes does. */
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
