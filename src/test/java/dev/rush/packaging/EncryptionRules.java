package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;
import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.name;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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

    static Stream<String> encryption(Packaging packaging) {
        boolean nodes = new Pod(packaging.get("StatefulSet", "redis")).volume("tls").isPresent();
        return Stream.of(
                packaging.servicePods().stream().flatMap(pod -> service(packaging, pod, nodes)),
                nodes ? nodes(packaging) : Stream.<String>empty(),
                packaging.all("Certificate").flatMap(c -> names(packaging, c)))
                .flatMap(findings -> findings);
    }

    private static Stream<String> service(Packaging packaging, Pod pod, boolean nodes) {
        Map<String, String> settings = Settings.environment(packaging, pod.main());
        String url = settings.getOrDefault(URL, "");
        boolean ledger = !settings.getOrDefault("RUSH_ORDERS_SINK", "postgres").equals("none");
        boolean verified = url.contains("sslmode=verify-full")
                && url.contains("sslrootcert=/etc/rush/secret/");
        boolean tls = settings.getOrDefault(HOSTS, "").startsWith("rediss://");
        boolean mounted = each(pod.main().path("volumeMounts")).anyMatch(mount ->
                mount.path("mountPath").asText().equals("/etc/rush/redis-ca"));
        return Stream.of(
                packaging.dev() || !ledger || verified ? "" : "does not know its PostgreSQL",
                packaging.dev() || tls ? "" : "speaks to Redis in the clear",
                tls == nodes ? "" : "and Redis speak differently",
                tls && !settings.entrySet().containsAll(TRUST.entrySet())
                        ? "trusts any host as Redis" : "",
                tls && !mounted ? "has no certificate of Redis's authority" : "")
                .filter(finding -> !finding.isEmpty())
                .map(finding -> pod.id() + " " + finding);
    }

    private static Stream<String> nodes(Packaging packaging) {
        return NODE_OPTIONS.stream()
                .filter(option -> !packaging.file("k8s/redis/config/tls.conf").lines()
                        .toList().contains(option))
                .map(option -> "tls.conf lacks " + option);
    }

    /** The certificate that the nodes show has the names by which they announce themselves. */
    private static Stream<String> names(Packaging packaging, JsonNode certificate) {
        if (!certificate.at("/spec/secretName").asText().equals("redis-tls")) {
            return Stream.empty();
        }
        JsonNode set = packaging.get("StatefulSet", "redis");
        List<String> expected = IntStream.range(0, set.at("/spec/replicas").asInt())
                .mapToObj(i -> name(set) + "-" + i + "." + set.at("/spec/serviceName").asText())
                .toList();
        List<String> actual = each(certificate.at("/spec/dnsNames")).map(JsonNode::asText).toList();
        return expected.equals(actual) ? Stream.empty()
                : Stream.of(id(certificate) + " is for other names than " + expected);
    }
}
