package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;
import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.kind;
import static dev.rush.packaging.Packaging.names;
import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.JSON;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Every object has the shape that its API asks for: fields known, present, of the right type. */
final class SchemaRules {

    /** Objects that a supported Kubernetes serves in these versions and does not deprecate. */
    private static final Set<String> VERSIONS = Set.of(
            "v1 Namespace", "v1 ResourceQuota", "v1 LimitRange", "v1 ServiceAccount",
            "v1 ConfigMap", "v1 Secret", "v1 Service",
            "apps/v1 Deployment", "apps/v1 StatefulSet", "batch/v1 Job",
            "autoscaling/v2 HorizontalPodAutoscaler", "policy/v1 PodDisruptionBudget",
            "networking.k8s.io/v1 Ingress", "networking.k8s.io/v1 NetworkPolicy",
            "monitoring.coreos.com/v1 PodMonitor", "monitoring.coreos.com/v1 PrometheusRule",
            "serving.knative.dev/v1 Service", "gateway.networking.k8s.io/v1 HTTPRoute",
            "keda.sh/v1alpha1 ScaledObject", "cert-manager.io/v1 Issuer",
            "cert-manager.io/v1 Certificate");

    /** The fields that we use of objects for which no Java model is to be had. */
    private static final Map<String, Set<String>> CUSTOM_FIELDS = Map.of(
            "PodMonitor", Set.of("selector", "selector.matchLabels", "selector.matchExpressions",
                    "podMetricsEndpoints", "podMetricsEndpoints.port", "podMetricsEndpoints.path",
                    "podMetricsEndpoints.interval", "podMetricsEndpoints.scrapeTimeout"),
            "PrometheusRule", Set.of("groups", "groups.name", "groups.interval", "groups.rules",
                    "groups.rules.alert", "groups.rules.record", "groups.rules.expr",
                    "groups.rules.for",
                    "groups.rules.labels", "groups.rules.annotations"),
            "KnativeService", Set.of("template", "template.metadata", "template.spec",
                    "template.spec.containerConcurrency", "template.spec.timeoutSeconds",
                    "template.spec.serviceAccountName",
                    "template.spec.automountServiceAccountToken",
                    "template.spec.enableServiceLinks", "template.spec.containers",
                    "template.spec.volumes"),
            "HTTPRoute", Set.of("parentRefs", "parentRefs.name", "parentRefs.namespace",
                    "parentRefs.sectionName", "hostnames", "rules", "rules.matches",
                    "rules.matches.path", "rules.matches.path.type",
                    "rules.matches.path.value", "rules.matches.headers",
                    "rules.matches.headers.name", "rules.matches.headers.value",
                    "rules.timeouts", "rules.timeouts.request", "rules.timeouts.backendRequest",
                    "rules.backendRefs", "rules.backendRefs.name", "rules.backendRefs.port"),
            "ScaledObject", Set.of("scaleTargetRef", "minReplicaCount", "maxReplicaCount",
                    "pollingInterval", "fallback", "fallback.failureThreshold",
                    "fallback.replicas", "fallback.behavior", "advanced",
                    "advanced.horizontalPodAutoscalerConfig",
                    "advanced.horizontalPodAutoscalerConfig.behavior", "triggers",
                    "triggers.type", "triggers.metricType", "triggers.metadata"),
            "Issuer", Set.of("selfSigned", "ca", "ca.secretName"),
            "Certificate", Set.of("isCA", "commonName", "secretName", "duration", "renewBefore",
                    "privateKey", "privateKey.algorithm", "privateKey.size",
                    "privateKey.rotationPolicy", "usages", "dnsNames", "issuerRef",
                    "issuerRef.name", "issuerRef.kind"));

    /** Fields whose value has a model of its own, or whose keys are free. */
    private static final Map<String, String> MODELS = Map.of(
            "advanced.horizontalPodAutoscalerConfig.behavior",
            "V2HorizontalPodAutoscalerBehavior",
            "scaleTargetRef", "V2CrossVersionObjectReference",
            "template.metadata", "V1ObjectMeta",
            "template.spec.containers", "V1Container",
            "template.spec.volumes", "V1Volume",
            "selector.matchExpressions", "V1LabelSelectorRequirement",
            "selector.matchLabels", "",
            "groups.rules.labels", "",
            "groups.rules.annotations", "");

    private static final Set<String> TOP = Set.of("apiVersion", "kind", "metadata", "spec");

    private static final Map<String, List<String>> REQUIRED = Map.of(
            "PodMonitor", List.of("selector", "podMetricsEndpoints"),
            "PrometheusRule", List.of("groups.name", "groups.rules.expr"),
            "KnativeService", List.of("template.spec.containers"),
            "HTTPRoute", List.of("parentRefs.name", "hostnames", "rules.matches.path.value",
                    "rules.backendRefs.name", "rules.backendRefs.port"),
            "ScaledObject", List.of("scaleTargetRef", "minReplicaCount", "maxReplicaCount",
                    "triggers.type", "triggers.metadata"),
            "Issuer", List.of(),
            "Certificate", List.of("secretName", "issuerRef.name"));

    private static final String TEXT = "\".+\"";
    private static final String DURATION = "\"\\d+(ms|[smhdwy])\"";
    private static final String WHOLE = "\\d+";
    private static final String YES_OR_NO = "true|false";

    /** How a value is written in JSON. */
    private static final Map<String, String> FORMS = Map.ofEntries(
            entry("podMetricsEndpoints.port", TEXT), entry("podMetricsEndpoints.path", TEXT),
            entry("podMetricsEndpoints.interval", DURATION),
            entry("podMetricsEndpoints.scrapeTimeout", DURATION),
            entry("groups.name", TEXT), entry("groups.interval", DURATION),
            entry("groups.rules.alert", TEXT), entry("groups.rules.expr", TEXT),
            entry("groups.rules.record", TEXT), entry("groups.rules.for", DURATION),
            entry("rules.timeouts.request", DURATION),
            entry("rules.timeouts.backendRequest", DURATION),
            entry("rules.backendRefs.port", WHOLE), entry("parentRefs.name", TEXT),
            entry("rules.matches.path.type", "\"(Exact|PathPrefix)\""),
            entry("minReplicaCount", WHOLE), entry("maxReplicaCount", WHOLE),
            entry("pollingInterval", WHOLE), entry("fallback.failureThreshold", WHOLE),
            entry("fallback.replicas", WHOLE), entry("triggers.type", "\"(prometheus|cron)\""),
            // KEDA reads texts only: a bare number is refused.
            entry("triggers.metadata", "\\{(\"\\w+\":\"([^\"\\\\]|\\\\.)+\",?)+\\}"),
            entry("duration", DURATION), entry("renewBefore", DURATION),
            entry("isCA", YES_OR_NO), entry("selfSigned", "\\{\\}"),
            entry("hostnames", "\\[\"[a-z0-9.-]+\"\\]"), entry("dnsNames", "\\[.+\\]"),
            entry("usages", "\\[(\"(server|client) auth\",?)+\\]"),
            entry("template.spec.containerConcurrency", WHOLE),
            entry("template.spec.timeoutSeconds", WHOLE),
            entry("template.spec.serviceAccountName", TEXT),
            entry("template.spec.automountServiceAccountToken", YES_OR_NO),
            entry("template.spec.enableServiceLinks", YES_OR_NO));

    private SchemaRules() {
    }

    static Stream<String> versions(Packaging packaging) {
        return packaging.objects().stream()
                .filter(object -> !VERSIONS.contains(version(object)))
                .map(object -> version(object) + " is no version that we may use");
    }

    static Stream<String> schema(Packaging packaging) {
        return packaging.objects().stream()
                .filter(object -> !CUSTOM_FIELDS.containsKey(kind(object)))
                .filter(object -> VERSIONS.contains(version(object)))
                .flatMap(object -> validate(model(object), object).map(f -> id(object) + ": " + f));
    }

    static Stream<String> customFields(Packaging packaging) {
        return packaging.objects().stream()
                .filter(object -> CUSTOM_FIELDS.containsKey(kind(object)))
                .flatMap(object -> custom(object).map(finding -> id(object) + ": " + finding));
    }

    private static Stream<String> custom(JsonNode object) {
        return Stream.of(
                names(object).filter(field -> !TOP.contains(field))
                        .map(field -> "unknown field " + field),
                validate("V1ObjectMeta", object.path("metadata")),
                REQUIRED.get(kind(object)).stream()
                        .filter(path -> lacks(object.path("spec"), List.of(path.split("[.]"))))
                        .map(path -> "there is no " + path),
                fields(kind(object), "", object.path("spec")))
                .flatMap(findings -> findings);
    }

    private static boolean lacks(JsonNode node, List<String> path) {
        if (node.isArray()) {
            return node.isEmpty() || each(node).anyMatch(element -> lacks(element, path));
        }
        return node.isMissingNode() || !path.isEmpty()
                && lacks(node.path(path.get(0)), path.subList(1, path.size()));
    }

    private static Stream<String> fields(String kind, String prefix, JsonNode node) {
        if (node.isArray()) {
            return each(node).flatMap(element -> fields(kind, prefix, element));
        }
        return node.properties().stream().flatMap(field -> {
            String path = prefix + field.getKey();
            if (!CUSTOM_FIELDS.get(kind).contains(path)) {
                return Stream.of("unknown field " + path);
            }
            String model = MODELS.get(path);
            if (model != null) {
                return parts(field.getValue()).flatMap(part -> validate(model, part));
            }
            String form = FORMS.get(path);
            if (form != null) {
                return field.getValue().toString().matches(form) ? Stream.empty()
                        : Stream.of(path + " is " + field.getValue());
            }
            return fields(kind, path + ".", field.getValue());
        });
    }

    private static Stream<JsonNode> parts(JsonNode node) {
        return node.isArray() ? each(node) : Stream.of(node);
    }

    private static Stream<String> validate(String model, JsonNode node) {
        if (model.isEmpty()) {
            return Stream.empty();
        }
        try {
            Class<?> type = Class.forName("io.kubernetes.client.openapi.models." + model);
            JsonElement json = JsonParser.parseString(node.toString());
            type.getMethod("validateJsonElement", JsonElement.class).invoke(null, json);
            JSON.getGson().fromJson(json, type);
            return Stream.empty();
        } catch (InvocationTargetException e) {
            return Stream.of(e.getCause().getMessage());
        } catch (ReflectiveOperationException e) {
            return Stream.of("no model " + model);
        } catch (RuntimeException e) {
            return Stream.of(String.valueOf(e.getMessage()));
        }
    }

    /** {@code autoscaling/v2 HorizontalPodAutoscaler} is V2HorizontalPodAutoscaler. */
    private static String model(JsonNode object) {
        String version = object.path("apiVersion").asText().replaceFirst(".*/", "");
        return version.toUpperCase() + object.path("kind").asText();
    }

    private static String version(JsonNode object) {
        return object.path("apiVersion").asText() + " " + object.path("kind").asText();
    }
}
