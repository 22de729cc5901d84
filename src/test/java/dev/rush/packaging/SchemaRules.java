package dev.rush.packaging;

import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.kind;
import static dev.rush.packaging.Packaging.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.rush.testing.Sources;
import io.kubernetes.client.openapi.JSON;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Every object matches its schema: known fields, required fields, right types. */
final class SchemaRules {

    /** Versions that supported Kubernetes releases and operators serve and do not deprecate. */
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

    /** Schemas of the fields that we use, for kinds without a model in the Java client. */
    private static final Map<String, JsonSchema> CUSTOM = customSchemas();

    /** Parts of those kinds that have a model, and that the schemas therefore leave open. */
    private static final Map<String, String> MODELS = Map.of(
            "/metadata", "V1ObjectMeta",
            "/spec/advanced/horizontalPodAutoscalerConfig/behavior",
            "V2HorizontalPodAutoscalerBehavior",
            "/spec/scaleTargetRef", "V2CrossVersionObjectReference",
            "/spec/selector", "V1LabelSelector",
            "/spec/template/metadata", "V1ObjectMeta",
            "/spec/template/spec/containers/*", "V1Container",
            "/spec/template/spec/volumes/*", "V1Volume");

    private SchemaRules() {
    }

    private static Map<String, JsonSchema> customSchemas() {
        JsonNode text = Kustomize.parse(
                Sources.text(Path.of("src/test/resources/packaging/custom-kinds.yaml"))).get(0);
        JsonSchemaFactory factory = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
        return text.path("$defs").propertyStream().map(Map.Entry::getKey)
                .filter(name -> Character.isUpperCase(name.charAt(0)))
                .collect(Collectors.toMap(kind -> kind, kind -> factory.getSchema(
                        ((ObjectNode) text.deepCopy()).put("$ref", "#/$defs/" + kind))));
    }

    static void versions(Packaging packaging, Findings findings) {
        packaging.objects().forEach(object -> findings.demand(VERSIONS.contains(version(object)),
                version(object) + " is not an allowed version"));
    }

    static void schema(Packaging packaging, Findings findings) {
        packaging.objects().stream()
                .filter(object -> !CUSTOM.containsKey(kind(object)))
                .filter(object -> VERSIONS.contains(version(object)))
                .forEach(object -> validate(model(object), object, findings.about(id(object))));
    }

    static void customFields(Packaging packaging, Findings all) {
        packaging.objects().stream().filter(object -> CUSTOM.containsKey(kind(object)))
                .forEach(object -> {
                    Findings findings = all.about(id(object));
                    CUSTOM.get(kind(object)).validate(object).forEach(
                            message -> findings.demand(false, message.getMessage()));
                    MODELS.forEach((path, model) -> nodes(object, path)
                            .forEach(node -> validate(model, node, findings)));
                });
    }

    private static void validate(String model, JsonNode node, Findings findings) {
        refusal(model, node).ifPresent(refusal -> findings.demand(false, refusal));
    }

    private static Optional<String> refusal(String model, JsonNode node) {
        try {
            Class<?> type = Class.forName("io.kubernetes.client.openapi.models." + model);
            JsonElement json = JsonParser.parseString(node.toString());
            type.getMethod("validateJsonElement", JsonElement.class).invoke(null, json);
            var unused = JSON.getGson().fromJson(json, type);
            return Optional.empty();
        } catch (InvocationTargetException e) {
            return Optional.of(e.getCause().getMessage());
        } catch (ReflectiveOperationException | RuntimeException e) {
            return Optional.of(model + ": " + e.getMessage());
        }
    }

    /** For example, V2HorizontalPodAutoscaler for {@code autoscaling/v2}. */
    private static String model(JsonNode object) {
        String version = object.path("apiVersion").asText().replaceFirst(".*/", "");
        return version.toUpperCase() + object.path("kind").asText();
    }

    private static String version(JsonNode object) {
        return object.path("apiVersion").asText() + " " + object.path("kind").asText();
    }
}
