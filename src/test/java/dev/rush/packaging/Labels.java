package dev.rush.packaging;

import com.fasterxml.jackson.databind.JsonNode;

/** Label selectors, as Kubernetes evaluates them. */
final class Labels {

    private Labels() {
    }

    /** Whether a selector matches the labels; the plain map of a Service is a selector too. */
    static boolean match(JsonNode selector, JsonNode labels) {
        boolean plain = !selector.has("matchLabels") && !selector.has("matchExpressions");
        JsonNode equal = plain ? selector : selector.path("matchLabels");
        return equal.propertyStream().allMatch(e -> e.getValue().equals(labels.get(e.getKey())))
                && selector.path("matchExpressions").valueStream()
                        .allMatch(e -> expression(e, labels));
    }

    private static boolean expression(JsonNode expression, JsonNode labels) {
        JsonNode label = labels.path(expression.path("key").asText());
        boolean listed = expression.path("values").valueStream().anyMatch(label::equals);
        return switch (expression.path("operator").asText()) {
            case "In" -> listed;
            case "NotIn" -> !listed;
            case "Exists" -> !label.isMissingNode();
            case "DoesNotExist" -> label.isMissingNode();
            default -> false;
        };
    }
}
