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

/** Mistakes in what the service, Redis and Prometheus are told, and in the files themselves. */
final class ServiceMutations {

    private static final String API = "Deployment/rush-api";
    private static final String WRITER = "Deployment/rush-writer";
    private static final String REDIS = "StatefulSet/redis";
    private static final String KNATIVE = "KnativeService/rush";
    private static final String POD = "/spec/template/spec";
    private static final String MAIN = POD + "/containers/0";
    private static final String REDIS_CONF = "k8s/redis/config/redis.conf";
    private static final String PROPERTIES = "src/main/resources/application.properties";
    private static final String DOCKERFILE = "src/main/docker/Dockerfile.native";

    private ServiceMutations() {
    }

    static Stream<Mutation> all() {
        return Stream.of(settings(), redis(), keys(), monitoring(), files()).flatMap(List::stream);
    }

    private static List<Mutation> settings() {
        return List.of(
                edit("timeouts", PROPERTIES, "quarkus.redis.tcp.connection-timeout=300ms",
                        "quarkus.redis.tcp.connection-timeout=60s"),
                edit("timeouts", "src/main/java/dev/rush/RushConfig.java", "@WithDefault(\"PT2S\")",
                        "@WithDefault(\"PT30S\")"),
                add("timeouts", API, MAIN + "/env",
                        Map.of("name", "RUSH_DEADLINE", "value", "PT30S")),
                set("encryption", "ConfigMap/rush-config", "/data/QUARKUS_DATASOURCE_JDBC_URL",
                        "jdbc:postgresql://postgres.example:5432/rush?sslmode=require"),
                drop("encryption", "ConfigMap/rush-config",
                        "/data/QUARKUS_TLS_REDIS_HOSTNAME_VERIFICATION_ALGORITHM"),
                drop("encryption", WRITER, MAIN + "/volumeMounts/2"),
                edit("encryption", "k8s/redis/config/tls.conf", "tls-replication yes",
                        "tls-replication no"),
                drop("encryption", "Certificate/redis-tls", "/spec/dnsNames/5")
                        .in("prod+cert-manager"),
                set("references", "Certificate/redis-tls", "/spec/issuerRef/name", "root")
                        .in("prod+cert-manager"),
                drop("custom-fields", "Certificate/redis-tls", "/spec/secretName")
                        .in("prod+cert-manager"),
                set("timeouts", KNATIVE, POD + "/timeoutSeconds", 1).in("dev+knative"),
                add("secrets", API, MAIN + "/env", Map.of(
                        "name", "QUARKUS_REDIS_PASSWORD", "value", "apple")),
                set("secrets", "ConfigMap/rush-config", "/data/QUARKUS_DATASOURCE_JDBC_URL",
                        "jdbc:postgresql://postgres:5432/rush?password=apple").in("dev"),
                set("secrets", "ConfigMap/rush-config", "/data/QUARKUS_DATASOURCE_PASSWORD",
                        "apple"),
                add("secrets", API, MAIN + "/envFrom",
                        Map.of("secretRef", Map.of("name", "rush-secret"))),
                put("secrets", Map.of("apiVersion", "v1", "kind", "Secret",
                        "metadata", Map.of("name", "rush-secret", "namespace", "rush"))),
                drop("secrets", API, POD + "/volumes/1/secret/defaultMode"),
                add("settings", API, MAIN + "/env",
                        Map.of("name", "RUSH_DEADLIN", "value", "PT1S")),
                add("settings", API, MAIN + "/env", Map.of("name", "RUSH_ROLE", "value", "all")),
                add("settings", API, MAIN + "/env",
                        Map.of("name", "QUARKUS_MANAGEMENT_PORT", "value", "9001")),
                drop("settings", WRITER, MAIN + "/env/0"),
                drop("settings", "ConfigMap/rush-config", "/data/MP_JWT_VERIFY_ISSUER"),
                drop("settings", "ConfigMap/rush-config", "/data/MP_JWT_VERIFY_AUDIENCES"),
                drop("settings", "ConfigMap/rush-config", "/data/QUARKUS_DATASOURCE_USERNAME"),
                set("settings", "ConfigMap/rush-config", "/data/QUARKUS_CONFIG_LOCATIONS",
                        "/etc/secret.properties"));
    }

    private static List<Mutation> redis() {
        return List.of(
                set("redis-seeds", "ConfigMap/rush-config", "/data/QUARKUS_REDIS_HOSTS",
                        "redis://rush@redis-0.redis:6379").in("dev"),
                set("redis-seeds", "Job/redis-create", MAIN + "/env/1/value", "3"),
                edit("redis-config", REDIS_CONF, "cluster-require-full-coverage no",
                        "cluster-require-full-coverage yes"),
                edit("redis-config", REDIS_CONF, "\nshutdown-timeout 10",
                        "\nmaxmemory-policy allkeys-lru\nshutdown-timeout 10"),
                edit("redis-config", REDIS_CONF, "noeviction", "allkeys-lru"),
                edit("redis-config", "k8s/redis/scripts/start.sh", "--cluster-announce-ip",
                        "--cluster-announce-port"),
                edit("redis-config", "k8s/redis/scripts/start.sh", "$POD_NAME.$REDIS_SERVICE",
                        "$POD_NAME"),
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
                        "class Bad { String key = \"rush:{p01}:sale:apple\"; }"),
                create("hash-tags", main + "sale/Bad.java",
                        "class Bad { Object call = Request.cmd(Command.EVAL); }"),
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
                drop("alerts", "PrometheusRule/rush",
                        "/spec/groups/0/rules/1/annotations/runbook_url"),
                set("alerts", "PrometheusRule/rush",
                        "/spec/groups/0/rules/0/annotations/runbook_url",
                        "https://runbooks.example/RushOversell.md"),
                create("alerts", "docs/runbooks/RushForgotten.md", "# RushForgotten\n"),
                create("documented-metrics", "docs/runbooks/RushOversold.md",
                        "See `rush_oversold`.\n"),
                edit("documented-metrics", MetricRules.METRICS, "`rush_ledger_backlog`",
                        "the backlog"),
                edit("alerts", "k8s/components/monitoring/tests/service.yaml",
                        "alertname=\"RushSlow\"", "alertname=\"RushFast\""));
    }

    private static List<Mutation> files() {
        return List.of(
                create("reachable", "k8s/components/knative/forgotten.yaml", "kind: Pod\n"),
                edit("readme", "k8s/README.md", "\nredis/pdb.yaml ", "\nredis/budget.yaml "),
                edit("readme", "k8s/README.md", "\nbase/writer.yaml ", "\n"),
                edit("style", "k8s/base/api.yaml", "\nkind: Service\n", "\nkind: Service \n"),
                edit("style", "k8s/base/api.yaml", "\nkind: Service\n", "\nkind:\tService\n"),
                edit("style", "k8s/base/api.yaml", "\nkind: Service\n", "\nkind: Service\r\n"),
                edit("style", "k8s/redis/pdb.yaml", "# Three masters", "# " + "Three ".repeat(20)),
                edit("style", "k8s/overlays/flash-sale/floor.yaml", "60Gi\n", "60Gi"),
                edit("style", DOCKERFILE, "ARG BASE\n", "# quay.io\nARG BASE\n"),
                edit("dockerfiles", DOCKERFILE, "ARG BASE\n", "ARG BASE=debian:12-slim\n"),
                edit("dockerfiles", DOCKERFILE, "# Either makes", "# :latest, either makes"),
                edit("dockerfiles", DOCKERFILE, "FROM ${BASE}", "FROM debian:12"),
                edit("dockerfiles", "src/main/docker/Dockerfile.trained", "FROM ${BASE}\n",
                        "FROM eclipse-temurin:25-jre\n"),
                edit("dockerfiles", DOCKERFILE, "ENTRYPOINT [\"/rush/rush\"]",
                        "ENTRYPOINT /rush/rush"));
    }
}
