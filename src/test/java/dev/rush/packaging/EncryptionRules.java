package dev.rush.packaging;

import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/** Outside of dev nothing travels in the clear, and every server's name is checked. */
final class EncryptionRules {

    private static final String URL = "QUARKUS_DATASOURCE_JDBC_URL";
    private static final String HOSTS = "QUARKUS_REDIS_HOSTS";
    private static final Map<String, String> TRUST = Map.of(
            "QUARKUS_REDIS_TLS_CONFIGURATION_NAME", "redis",
            "QUARKUS_TLS_REDIS_HOSTNAME_VERIFICATION_ALGORITHM", "HTTPS",
            "QUARKUS_TLS_REDIS_TRUST_STORE_PEM_CERTS", "/etc/rush/redis-ca/ca.crt");
    private static final List<String> NODE_OPTIONS = List.of(
            "tls-cluster yes", "tls-replication yes",
            "cluster-preferred-endpoint-type hostname");

    private EncryptionRules() {
    }

    static void encryption(Packaging packaging, Findings findings) {
        boolean nodes = new Pod(packaging.get("StatefulSet", "redis")).volume("tls").isPresent();
        packaging.servicePods()
                .forEach(pod -> service(packaging, pod, nodes, findings.about(pod.id())));
        List<String> options = packaging.file("k8s/redis/config/tls.conf").lines().toList();
        findings.demand(!nodes || options.containsAll(NODE_OPTIONS), "tls.conf lacks an option");
        packaging.all("Certificate")
                .filter(c -> c.at("/spec/secretName").asText().equals("redis-tls"))
                .forEach(c -> findings.demand(nodes(c, "/spec/dnsNames/*").stream()
                        .map(JsonNode::asText).toList().equals(RedisRules.hosts(packaging)),
                        id(c) + " is for other names than the nodes announce"));
    }

    private static void service(Packaging packaging, Pod pod, boolean nodes, Findings findings) {
        Map<String, String> settings = Settings.environment(packaging, pod.main());
        String url = settings.getOrDefault(URL, "");
        boolean ledger = !settings.getOrDefault("RUSH_ORDERS_SINK", "postgres").equals("none");
        boolean tls = settings.getOrDefault(HOSTS, "").startsWith("rediss://");
        findings.demand(packaging.dev() || !ledger || url.contains("sslmode=verify-full")
                && url.contains("sslrootcert=/etc/rush/secret/"), "does not know its PostgreSQL");
        findings.demand(packaging.dev() || tls, "speaks to Redis in the clear");
        findings.demand(packaging.dev() || !settings.containsKey("KAFKA_BOOTSTRAP_SERVERS")
                || settings.getOrDefault("KAFKA_SECURITY_PROTOCOL", "").endsWith("SSL")
                && settings.containsKey("KAFKA_SSL_TRUSTSTORE_LOCATION")
                && !settings.containsKey("KAFKA_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM"),
                "does not know its Kafka");
        findings.demand(tls == nodes, "and Redis speak differently");
        findings.demand(!tls || settings.entrySet().containsAll(TRUST.entrySet()),
                "trusts any host as Redis");
        findings.demand(!tls || nodes(pod.main(), "/volumeMounts/*/mountPath").stream()
                .anyMatch(path -> path.asText().equals("/etc/rush/redis-ca")),
                "has no certificate of Redis's authority");
    }
}
