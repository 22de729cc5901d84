package dev.rush.packaging;

import static dev.rush.packaging.Mutation.add;
import static dev.rush.packaging.Mutation.create;
import static dev.rush.packaging.Mutation.delete;
import static dev.rush.packaging.Mutation.drop;
import static dev.rush.packaging.Mutation.edit;
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
    private static final String INGRESS = "Ingress/rush";
    private static final String POD = "/spec/template/spec";
    private static final String MAIN = POD + "/containers/0";
    private static final String SECURITY = MAIN + "/securityContext";
    private static final String NAME = "app.kubernetes.io~1name";
    private static final String REDIS_CONF = "k8s/redis/config/redis.conf";
    private static final String PROPERTIES = "src/main/resources/application.properties";
    private static final String DOCKERFILE = "src/main/docker/Dockerfile.native";

    private Mutations() {
    }

    static Stream<Mutation> all() {
        return Stream.of(shape(), security(), resources(), references(), lifecycle(), scaling(),
                        network(), settings(), redis(), keys(), monitoring(), files())
                .flatMap(List::stream);
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
                drop("pod-security", KNATIVE, SECURITY + "/runAsNonRoot").in("dev+knative"),
                set("user-ids", REDIS, POD + "/securityContext/runAsUser", 999),
                set("user-ids", API, POD + "/securityContext/runAsGroup", 10009),
                edit("user-ids", DOCKERFILE, "USER 10001:10001", "USER 1001:1001"),
                set("writable-paths", API, SECURITY + "/readOnlyRootFilesystem", false),
                drop("writable-paths", API, MAIN + "/volumeMounts/0"),
                drop("writable-paths", WRITER, MAIN + "/volumeMounts/1/readOnly"),
                drop("writable-paths", REDIS, POD + "/volumes/0"),
                set("tokens", API, POD + "/automountServiceAccountToken", true),
                drop("tokens", REDIS, POD + "/enableServiceLinks"));
    }

    private static List<Mutation> resources() {
        return List.of(
                drop("resources", API, MAIN + "/resources/limits/ephemeral-storage"),
                set("resources", WRITER, MAIN + "/resources/requests/cpu", "1500m"),
                set("redis-memory", REDIS, MAIN + "/env/4/value", "900mb"),
                set("quota", "ResourceQuota/rush", "/spec/hard/requests.cpu", "10"),
                set("quota", HPA, "/spec/maxReplicas", 60),
                set("images", API, MAIN + "/image", "rush/rush"),
                set("images", API, MAIN + "/image", "rush/rush:latest"),
                set("images", "Job/redis-create", MAIN + "/image", "registry.example/redis:8.0"),
                set("images", WRITER, MAIN + "/imagePullPolicy", "IfNotPresent"),
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
                set("start-budget", API, MAIN + "/startupProbe/failureThreshold", 3),
                edit("declared-ports", PROPERTIES, "quarkus.http.port=8080",
                        "quarkus.http.port=8888"),
                edit("declared-ports", DOCKERFILE, "EXPOSE 8080 9000", "EXPOSE 8080"),
                set("grace", API, POD + "/terminationGracePeriodSeconds", 15),
                set("grace", API, MAIN + "/lifecycle/preStop/sleep/seconds", 0),
                edit("grace", PROPERTIES, "quarkus.shutdown.delay=3s",
                        "quarkus.shutdown.delay=20s"),
                edit("grace", "k8s/redis/scripts/prestop.sh", "PRESTOP_SECONDS:-20",
                        "PRESTOP_SECONDS:-55"));
    }

    private static List<Mutation> scaling() {
        return List.of(
                set("autoscaling", API, "/spec/replicas", 4),
                set("autoscaling", HPA, "/spec/maxReplicas", 4),
                set("autoscaling", WRITER, "/spec/replicas", 1),
                drop("autoscaling", HPA, "/spec/behavior/scaleUp/selectPolicy"),
                set("autoscaling", HPA, "/spec/behavior/scaleUp/stabilizationWindowSeconds", 60),
                set("autoscaling", HPA, "/spec/behavior/scaleDown/stabilizationWindowSeconds", 0),
                edit("redis-connections", REDIS_CONF, "maxclients 10000", "maxclients 200"),
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
                add("network", "NetworkPolicy/redis", rule + "/ports",
                        Map.of("protocol", "TCP", "port", 16379)),
                set("network", "NetworkPolicy/rush-api-knative", rule + "/ports/0/port", 8080)
                        .in("dev+knative"),
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

    private static List<Mutation> settings() {
        return List.of(
                edit("timeouts", PROPERTIES, "quarkus.redis.tcp.connection-timeout=300ms",
                        "quarkus.redis.tcp.connection-timeout=60s"),
                edit("timeouts", "src/main/java/dev/rush/RushConfig.java", "@WithDefault(\"PT2S\")",
                        "@WithDefault(\"PT30S\")"),
                set("timeouts", KNATIVE, POD + "/timeoutSeconds", 1).in("dev+knative"),
                add("secrets", API, MAIN + "/env", Map.of(
                        "name", "QUARKUS_REDIS_PASSWORD", "value", "apple")),
                set("secrets", "ConfigMap/rush-config", "/data/QUARKUS_DATASOURCE_JDBC_URL",
                        "jdbc:postgresql://postgres:5432/rush?password=apple"),
                set("secrets", "ConfigMap/rush-config", "/data/QUARKUS_DATASOURCE_PASSWORD",
                        "apple"),
                drop("secrets", API, POD + "/volumes/1/secret/defaultMode"),
                add("settings", API, MAIN + "/env",
                        Map.of("name", "RUSH_DEADLIN", "value", "PT1S")),
                add("settings", API, MAIN + "/env", Map.of("name", "RUSH_ROLE", "value", "all")),
                drop("settings", WRITER, MAIN + "/env/0"),
                drop("settings", "ConfigMap/rush-config", "/data/MP_JWT_VERIFY_ISSUER"),
                drop("settings", "ConfigMap/rush-config", "/data/QUARKUS_DATASOURCE_USERNAME"),
                set("settings", "ConfigMap/rush-config", "/data/QUARKUS_CONFIG_LOCATIONS",
                        "/etc/secret.properties"));
    }

    private static List<Mutation> redis() {
        return List.of(
                set("redis-seeds", "ConfigMap/rush-config", "/data/QUARKUS_REDIS_HOSTS",
                        "redis://redis-0.redis:6379"),
                set("redis-seeds", "Job/redis-create", MAIN + "/env/1/value", "3"),
                edit("redis-config", REDIS_CONF, "cluster-require-full-coverage no",
                        "cluster-require-full-coverage yes"),
                edit("redis-config", REDIS_CONF, "noeviction", "allkeys-lru"),
                edit("redis-config", "k8s/redis/scripts/start.sh", "--cluster-announce-ip",
                        "--cluster-announce-port"),
                edit("redis-config", PROPERTIES, "quarkus.redis.health.enabled=false", ""),
                drop("redis-config", "Service/redis", "/spec/publishNotReadyAddresses"),
                set("redis-config", REDIS, "/spec/podManagementPolicy", "OrderedReady"),
                drop("redis-scripts", "ConfigMap/redis-scripts", "/data/lib.sh"),
                set("redis-scripts", REDIS, MAIN + "/lifecycle/preStop/exec/command",
                        List.of("sh", "/etc/redis/scripts/stop.sh")),
                edit("redis-seeds", "k8s/redis/scripts/lib.sh", "redis-$number", "node-$number"));
    }

    private static List<Mutation> keys() {
        String main = "src/main/java/dev/rush/";
        String lua = "src/main/resources/lua/";
        return List.of(
                create("hash-tags", main + "sale/Bad.java",
                        "class Bad { String key = \"rush:sale:apple\"; }"),
                create("hash-tags", main + "sale/Bad.java",
                        "class Bad { Object call = Request.cmd(Command.EVAL); }"),
                edit("hash-tags", main + "redis/Partition.java", "rush:{", "rush:"),
                edit("hash-tags", main + "http/Blocklist.java", "{blocklist}:version",
                        "{version}:version"),
                // The source of a transfer in a call to its destination.
                edit("hash-tags", main + "sale/Transfers.java",
                        "SaleScripts.key(to, sale, \"received\")",
                        "SaleScripts.key(from, sale, \"received\")"),
                edit("hash-tags", main + "rain/Grabs.java", "keys.add(partition.orders())",
                        "keys.add(partitions.of(\"all\").orders())"),
                edit("hash-tags", main + "rain/Grabs.java", "keys.add(partition.orders())",
                        "keys.add(\"orders\")"),
                edit("hash-tags", main + "sale/SaleScripts.java",
                        "return partition.key(\"sales\");", "return \"sales\";"),
                edit("hash-tags", main + "books/Rebuild.java",
                        "BookScripts.sale(shard, sale, part)", "sale + part"),
                edit("hash-tags", main + "sale/Sales.java",
                        "SaleScripts.key(shard, sale, \"conf\")", "sale"),
                create("hash-tags", lua + "sale/bad.lua", "redis.call('GET', 'rush:a')"),
                edit("hash-tags", lua + "sale/take.lua", "redis.call('HINCRBY', stock,",
                        "redis.call('HINCRBY', stock .. ':copy',"),
                edit("hash-tags", lua + "rain/prepare.lua", "same(draft)", "same(ARGV[1])"));
    }

    private static List<Mutation> monitoring() {
        return List.of(
                set("metric-names", "PrometheusRule/rush", "/spec/groups/0/rules/0/expr",
                        "max(rush_oversold) > 0"),
                delete("metric-names", "ConfigMap/rush-dashboard"),
                drop("alerts", "PrometheusRule/rush", "/spec/groups/0/rules/0/labels/severity"),
                drop("alerts", "PrometheusRule/rush", "/spec/groups/1/rules/0/annotations/summary"),
                edit("alerts", "k8s/components/monitoring/rules-test.yaml",
                        "alertname: RushSlow\n", "alertname: RushFast\n"));
    }

    private static List<Mutation> files() {
        return List.of(
                create("reachable", "k8s/components/knative/forgotten.yaml", "kind: Pod\n"),
                edit("readme", "k8s/README.md", "\nredis/pdb.yaml ", "\nredis/budget.yaml "),
                edit("readme", "k8s/README.md", "\nbase/writer.yaml ", "\n"),
                edit("style", "k8s/base/api.yaml", "\nkind: Service\n", "\nkind: Service \n"),
                edit("style", DOCKERFILE, "ARG BASE=", "# quay.io\nARG BASE="),
                edit("dockerfiles", DOCKERFILE, "FROM ${BASE}", "FROM debian:12"),
                edit("dockerfiles", DOCKERFILE, "ENTRYPOINT [\"/rush/rush\"]",
                        "ENTRYPOINT /rush/rush"));
    }
}
