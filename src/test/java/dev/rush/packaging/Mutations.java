package dev.rush.packaging;

import static dev.rush.packaging.Mutation.add;
import static dev.rush.packaging.Mutation.create;
import static dev.rush.packaging.Mutation.delete;
import static dev.rush.packaging.Mutation.drop;
import static dev.rush.packaging.Mutation.edit;
import static dev.rush.packaging.Mutation.put;
import static dev.rush.packaging.Mutation.set;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Mistakes as people make them; each line names the rule that is to find it. */
final class Mutations {

    private static final String API = "Deployment/rush-api";
    private static final String WRITER = "Deployment/rush-writer";
    private static final String REDIS = "StatefulSet/redis";
    private static final String KNATIVE = "KnativeService/rush";
    private static final String HPA = "HorizontalPodAutoscaler/rush-api";
    private static final String SCALED = "ScaledObject/rush-api";
    private static final String ROUTE = "HTTPRoute/rush";
    private static final String INGRESS = "Ingress/rush";
    private static final String POD = "/spec/template/spec";
    private static final String MAIN = POD + "/containers/0";
    private static final String SECURITY = MAIN + "/securityContext";
    private static final String LABEL = Packaging.NAME_LABEL;
    private static final String NAME = LABEL.replace("/", "~1");
    private static final String REDIS_CONF = "k8s/redis/config/redis.conf";
    private static final String PROPERTIES = "src/main/resources/application.properties";
    private static final String JVM = "src/main/docker/Dockerfile.jvm";
    private static final String DOCKERFILE = "src/main/docker/Dockerfile.native";

    private Mutations() {
    }

    static Stream<Mutation> all() {
        return Stream.concat(
                Stream.of(shape(), security(), resources(), references(), lifecycle(), scaling(),
                        network()).flatMap(List::stream),
                ServiceMutations.all());
    }

    private static List<Mutation> shape() {
        return List.of(
                set("schema", API, "/spec/minReadySecond", 5),
                set("schema", API, MAIN + "/readinessProbe/periodSeconds", "often"),
                set("schema", REDIS, MAIN + "/lifecycle/preStop/exec/comand", List.of("sh")),
                set("schema", "PodDisruptionBudget/redis", "/spec/maxUnavailible", 1),
                drop("schema", INGRESS, "/spec/rules/0/http/paths/0/pathType"),
                set("custom-fields", "PodMonitor/rush", "/spec/podMetricsEndpoint", List.of()),
                set("custom-fields", "PrometheusRule/rush", "/spec/group", List.of()),
                drop("custom-fields", "PodMonitor/rush", "/spec/podMetricsEndpoints"),
                set("custom-fields", "PodMonitor/rush", "/spec/podMetricsEndpoints/0/interval",
                        "often"),
                set("custom-fields", "PodMonitor/rush", "/metadata/label", Map.of()),
                set("custom-fields", "PrometheusRule/rush", "/rules", List.of()),
                drop("custom-fields", "PrometheusRule/rush", "/spec/groups/0/name"),
                set("custom-fields", KNATIVE, POD + "/timeoutSeconds", "300").in("dev+knative"),
                set("custom-fields", KNATIVE, POD + "/containerConcurency", 5).in("dev+knative"),
                set("custom-fields", KNATIVE, MAIN + "/redinessProbe", Map.of()).in("dev+knative"),
                set("api-versions", "Job/redis-create", "/apiVersion", "batch/v1beta1"),
                set("api-versions", HPA, "/apiVersion", "autoscaling/v2beta2"));
    }

    private static List<Mutation> security() {
        return List.of(
                set("pod-security", API, POD + "/hostNetwork", true),
                set("pod-security", API, POD + "/securityContext/runAsNonRoot", false),
                set("pod-security", WRITER, SECURITY + "/privileged", true),
                set("pod-security", WRITER, SECURITY + "/allowPrivilegeEscalation", true),
                drop("pod-security", "Job/redis-create", SECURITY + "/allowPrivilegeEscalation"),
                drop("pod-security", REDIS, POD + "/securityContext/seccompProfile"),
                drop("pod-security", REDIS, SECURITY + "/capabilities"),
                set("pod-security", REDIS, SECURITY + "/capabilities/add", List.of("SYS_ADMIN")),
                set("pod-security", API, MAIN + "/ports/0/hostPort", 8080),
                set("pod-security", API, SECURITY + "/procMount", "Unmasked"),
                set("pod-security", REDIS, POD + "/securityContext/sysctls", List.of()),
                add("pod-security", API, POD + "/volumes",
                        Map.of("name", "node", "hostPath", Map.of("path", "/"))),
                set("pod-security", "Namespace/rush",
                        "/metadata/labels/pod-security.kubernetes.io~1enforce", "baseline"),
                set("pod-security", API, SECURITY + "/seLinuxOptions", Map.of("user", "root")),
                set("pod-security", WRITER, POD + "/securityContext/appArmorProfile",
                        Map.of("type", "Unconfined")),
                drop("pod-security", KNATIVE, SECURITY + "/runAsNonRoot").in("dev+knative"),
                set("user-ids", REDIS, POD + "/securityContext/runAsUser", 999),
                set("user-ids", API, POD + "/securityContext/runAsGroup", 10009),
                edit("user-ids", DOCKERFILE, "USER 10001:10001", "USER 1001:1001"),
                set("writable-paths", API, SECURITY + "/readOnlyRootFilesystem", false),
                drop("writable-paths", API, MAIN + "/volumeMounts/0"),
                add("writable-paths", API, MAIN + "/volumeMounts",
                        Map.of("name", "tmp", "mountPath", "/rush")),
                drop("writable-paths", WRITER, MAIN + "/volumeMounts/1/readOnly"),
                drop("writable-paths", REDIS, POD + "/volumes/1"),
                set("tokens", API, POD + "/automountServiceAccountToken", true),
                drop("tokens", REDIS, POD + "/enableServiceLinks"));
    }

    private static List<Mutation> resources() {
        return List.of(
                drop("resources", API, MAIN + "/resources/limits/ephemeral-storage"),
                set("resources", WRITER, MAIN + "/resources/requests/cpu", "1500m"),
                edit("java-memory", JVM, "\"-XX:MaxDirectMemorySize=64m\", ", ""),
                edit("java-memory", JVM, "MaxRAMPercentage=55", "MaxRAMPercentage=60"),
                edit("java-memory", JVM, "\"-Dio.netty.maxDirectMemory=0\", ", ""),
                edit("java-memory", "src/main/docker/Dockerfile.trained",
                        "MaxDirectMemorySize=64m", "MaxDirectMemorySize=128m"),
                set("redis-memory", REDIS, MAIN + "/env/5/value", "900mb"),
                set("quota", "ResourceQuota/rush", "/spec/hard/requests.cpu", "10"),
                set("quota", HPA, "/spec/maxReplicas", 60),
                set("images", API, MAIN + "/image", "rush/rush"),
                set("images", API, MAIN + "/image", "rush/rush:latest"),
                set("images", "Job/redis-create", MAIN + "/image", "registry.example/redis:8.0"),
                set("images", WRITER, MAIN + "/imagePullPolicy", "Always"),
                set("images", REDIS, MAIN + "/image", "redis:8.0-bookworm"),
                set("images", REDIS, MAIN + "/image", "redis@sha256:short"),
                set("images", "Job/redis-create", MAIN + "/image", "bash:5"),
                edit("images", PROPERTIES, "quarkus.container-image.name=rush",
                        "quarkus.container-image.name=sale"),
                edit("images", PROPERTIES, "quarkus.container-image.tag=1.0.0",
                        "quarkus.container-image.tag=1.0.1"));
    }

    private static List<Mutation> references() {
        return List.of(
                set("selectors", "Service/rush-api", "/spec/selector/" + NAME, "rush"),
                set("selectors", API, "/spec/selector/matchLabels/" + NAME, "api"),
                set("selectors", WRITER, "/metadata/name", "writer"),
                set("selectors", "PodMonitor/rush", "/spec/selector",
                        Map.of("matchLabels", Map.of("app", "rush"))),
                set("selectors", "PodMonitor/rush", "/spec/selector",
                        Map.of("matchLabels", Map.of(LABEL, "rush-api"))),
                put("selectors", Map.of("apiVersion", "networking.k8s.io/v1",
                        "kind", "NetworkPolicy",
                        "metadata", Map.of("name", "rush-admin", "namespace", "rush"),
                        "spec", Map.of("policyTypes", List.of("Ingress"), "podSelector",
                                Map.of("matchLabels", Map.of(LABEL, "rush-admin"))))),
                set("references", INGRESS, "/spec/rules/0/http/paths/0/backend/service/port/name",
                        "https"),
                drop("references", "Service/redis", "/spec/clusterIP"),
                delete("references", "ServiceAccount/rush"),
                delete("references", "ConfigMap/redis-config"),
                drop("references", "Service/rush-api", "/metadata/namespace"),
                set("references", API, POD + "/volumes/1/secret/secretName", "rush-secrets"));
    }

    private static List<Mutation> lifecycle() {
        return List.of(
                set("probes", API, MAIN + "/readinessProbe/httpGet/path", "/q/health"),
                set("probes", API, MAIN + "/livenessProbe/httpGet/port", "http"),
                drop("probes", WRITER, MAIN + "/startupProbe/httpGet"),
                drop("probes", REDIS, MAIN + "/livenessProbe"),
                set("probes", "Service/redis", "/spec/ports/1/targetPort", "cluster"),
                set("probes", "PodMonitor/rush", "/spec/podMetricsEndpoints/0/port", "metrics"),
                set("probes", "PodMonitor/rush", "/spec/podMetricsEndpoints/0/path", "/metrics"),
                set("probes", "StatefulSet/postgres", MAIN + "/livenessProbe/tcpSocket/port",
                        "postgresql").in("dev"),
                edit("probes", PROPERTIES, "quarkus.management.port=9000",
                        "quarkus.management.port=9000\nquarkus.management.root-path=/manage"),
                set("start-budget", API, MAIN + "/startupProbe/failureThreshold", 3),
                edit("declared-ports", PROPERTIES, "quarkus.http.port=8080",
                        "quarkus.http.port=8888"),
                edit("declared-ports", DOCKERFILE, "EXPOSE 8080 9000", "EXPOSE 8080"),
                drop("hangs", REDIS, MAIN + "/livenessProbe/terminationGracePeriodSeconds"),
                set("hangs", API, MAIN + "/livenessProbe/periodSeconds", 10),
                drop("rollout", API, "/spec/minReadySeconds"),
                drop("rollout", WRITER, "/spec/progressDeadlineSeconds"),
                set("rollout", API, "/spec/progressDeadlineSeconds", 20),
                set("grace", API, POD + "/terminationGracePeriodSeconds", 15),
                set("grace", API, MAIN + "/lifecycle/preStop/sleep/seconds", 0),
                add("grace", WRITER, MAIN + "/env",
                        Map.of("name", "QUARKUS_SHUTDOWN_TIMEOUT", "value", "40s")),
                edit("grace", PROPERTIES, "quarkus.shutdown.delay=3s",
                        "quarkus.shutdown.delay=20s"),
                edit("grace", "k8s/redis/scripts/prestop.sh", "PRESTOP_SECONDS:-20",
                        "PRESTOP_SECONDS:-55"),
                edit("grace", "k8s/redis/scripts/prestop.sh", "REPLICA_SECONDS:-5",
                        "REPLICA_SECONDS:-2"));
    }

    private static List<Mutation> scaling() {
        return List.of(
                set("autoscaling", API, "/spec/replicas", 4),
                set("autoscaling", HPA, "/spec/maxReplicas", 4),
                set("autoscaling", WRITER, "/spec/replicas", 1),
                set("autoscaling", SCALED, "/spec/triggers/1/metadata/desiredReplicas", "99")
                        .in("prod+keda"),
                drop("autoscaling", SCALED, "/spec/triggers/1").in("prod+keda"),
                drop("autoscaling", SCALED, "/spec/fallback").in("prod+keda"),
                set("autoscaling", SCALED, "/spec/minReplicaCount", 1).in("dev+keda"),
                set("custom-fields", SCALED, "/spec/triggers/0/metadata/threshold", 64)
                        .in("dev+keda"),
                set("custom-fields", SCALED, "/spec/maxReplicas", 5).in("dev+keda"),
                drop("autoscaling", HPA, "/spec/behavior/scaleUp/selectPolicy"),
                drop("autoscaling", HPA, "/spec/behavior/scaleUp/policies/1"),
                set("autoscaling", HPA, "/spec/behavior/scaleUp/stabilizationWindowSeconds", 60),
                set("autoscaling", HPA, "/spec/behavior/scaleDown/stabilizationWindowSeconds", 0),
                edit("redis-connections", REDIS_CONF, "maxclients 10000", "maxclients 200"),
                add("redis-connections", API, MAIN + "/env",
                        Map.of("name", "QUARKUS_REDIS_MAX_POOL_SIZE", "value", "600")),
                delete("disruption", "PodDisruptionBudget/rush-writer"),
                set("disruption", "PodDisruptionBudget/redis", "/spec/maxUnavailable", 2),
                set("disruption", "PodDisruptionBudget/rush-api", "/spec/maxUnavailable", 0),
                drop("disruption", API, POD + "/topologySpreadConstraints"),
                set("disruption", REDIS, "/spec/updateStrategy/type", "OnDelete"));
    }

    private static List<Mutation> network() {
        String rule = "/spec/ingress/0";
        return List.of(
                delete("network", "NetworkPolicy/default-deny"),
                drop("network", "NetworkPolicy/rush", "/spec/egress/1"),
                drop("network", "NetworkPolicy/rush-api", rule + "/from"),
                drop("network", "NetworkPolicy/rush-api", rule + "/ports"),
                set("network", "NetworkPolicy/rush-api", rule + "/ports/0/port", 9000),
                set("network", "NetworkPolicy/redis", rule + "/ports/0/endPort", 6400),
                set("network", "NetworkPolicy/redis", rule + "/ports/0/protocol", "UDP"),
                set("network", "NetworkPolicy/redis", rule + "/from/0/namespaceSelector", Map.of()),
                add("network", "NetworkPolicy/redis", rule + "/ports",
                        Map.of("protocol", "TCP", "port", 16379)),
                set("network", "NetworkPolicy/rush-api-knative", rule + "/ports/0/port", 8080)
                        .in("dev+knative"),
                set("network", "NetworkPolicy/rush-otlp", "/spec/egress/0/ports/0/port", 80)
                        .in("dev+egress-otlp"),
                drop("network", "NetworkPolicy/rush-https", "/spec/egress/0/to/0/ipBlock/except/2")
                        .in("dev+egress-https"),
                set("public-paths", ROUTE, "/spec/rules/1/matches/0/path/value", "/q")
                        .in("prod+gateway"),
                set("references", ROUTE, "/spec/rules/1/backendRefs/0/port", 9000)
                        .in("prod+gateway"),
                set("timeouts", ROUTE, "/spec/rules/1/timeouts/request", "1s").in("prod+gateway"),
                set("custom-fields", ROUTE, "/spec/rules/1/timeouts/request", "soon")
                        .in("prod+gateway"),
                set("custom-fields", ROUTE, "/spec/rules/1/retry", Map.of("attempts", 2))
                        .in("prod+gateway"),
                set("trusted-callers", "ConfigMap/rush-config", "/data/RUSH_IDENTITY", "header"),
                drop("trusted-callers", KNATIVE,
                        "/metadata/labels/networking.knative.dev~1visibility").in("dev+knative"),
                set("public-paths", INGRESS, "/spec/rules/0/http/paths/0/path", "/"),
                set("public-paths", INGRESS, "/spec/rules/0/http/paths/1/path", "/q/openapi"),
                set("public-paths", INGRESS, "/spec/rules/0/host", "other.example"),
                set("public-paths", INGRESS, "/spec/rules/0/http/paths/0/path", "/v1/sales"),
                set("public-paths", INGRESS, "/spec/rules/0/http/paths/0/pathType", "Exact"),
                drop("public-paths", INGRESS, "/spec/rules/0/http/paths/1"),
                set("public-paths", INGRESS, "/spec/defaultBackend/service", Map.of(
                        "name", "rush-api", "port", Map.of("name", "http"))),
                create("public-paths", "src/main/java/dev/rush/rain/New.java",
                        "@Path(\"/v2/rains\") class New { @GET Object rains() { return 1; } }"),
                edit("public-paths", "src/main/java/dev/rush/http/ProblemResource.java",
                        "@Path(\"/problems\")", "@Path(\"/words\")"),
                set("public-paths", "Service/rush-api", "/spec/type", "NodePort"),
                add("public-paths", "Service/rush-api", "/spec/ports", Map.of(
                        "name", "management", "port", 9000, "targetPort", "management")));
    }
}
