package dev.rush.packaging;

import static dev.rush.packaging.Packaging.NAME_LABEL;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** NetworkPolicies allow exactly the connections listed here. */
final class NetworkRules {

    /** The allowed connections. Lines about pods that a set lacks are ignored for it. */
    private static final List<String> ALLOWED = List.of(
            "rush-api accepts 8080 from rush.dev/role=ingress",
            "rush-api accepts 9000 from rush.dev/role=monitoring",
            "rush-writer accepts 9000 from rush.dev/role=monitoring",
            "redis accepts 6379 from rush-api",
            "redis accepts 6379 from rush-writer",
            "redis accepts 6379 from redis-create",
            "redis accepts 6379 from redis",
            "redis accepts 16379 from redis",
            "postgres accepts 5432 from rush-api",
            "postgres accepts 5432 from rush-writer",
            "rush-api calls 6379 of redis",
            "rush-writer calls 6379 of redis",
            "redis-create calls 6379 of redis",
            "redis calls 6379 of redis",
            "redis calls 16379 of redis",
            "rush-api calls 5432 of anybody",
            "rush-writer calls 5432 of anybody");

    private static final List<String> ALLOWED_BY_KNATIVE = List.of(
            "rush-api accepts 8012 from rush.dev/role=ingress",
            "rush-api accepts 8013 from rush.dev/role=ingress",
            "rush-api accepts 9090 from rush.dev/role=ingress");

    /** Connections that a component adds for both roles, by the name of its policy. */
    private static final Map<String, List<String>> ALLOWED_BY_COMPONENT = Map.of(
            "rush-otlp", List.of("4317 of rush.dev/role=monitoring",
                    "4318 of rush.dev/role=monitoring"),
            "rush-https", List.of(
                    "443 of 0.0.0.0/0 but 10.0.0.0/8,100.64.0.0/10,169.254.0.0/16,172.16.0.0/12,"
                            + "192.168.0.0/16",
                    "443 of ::/0 but fc00::/7,fe80::/10"));

    private static final String KAFKA = "rush-kafka";
    private static final String ALLOWED_BY_KAFKA = "rush-writer calls 9092-9098 of anybody";

    private static final List<String> NAME_SERVERS =
            List.of("kubernetes.io/metadata.name=kube-system", "169.254.20.10/32");

    private NetworkRules() {
    }

    static void network(Packaging packaging, Findings findings) {
        Set<String> pods = packaging.pods().stream().map(Pod::name).collect(Collectors.toSet());
        Set<String> expected = Stream.of(
                        ALLOWED.stream(),
                        packaging.all("KnativeService").flatMap(s -> ALLOWED_BY_KNATIVE.stream()),
                        packaging.all("NetworkPolicy").map(Packaging::name)
                                .flatMap(name -> ALLOWED_BY_COMPONENT
                                        .getOrDefault(name, List.of()).stream())
                                .flatMap(line -> Stream.of("rush-api", "rush-writer")
                                        .map(pod -> pod + " calls " + line)),
                        packaging.all("NetworkPolicy").map(Packaging::name)
                                .filter(KAFKA::equals).map(name -> ALLOWED_BY_KAFKA),
                        pods.stream().flatMap(pod -> NAME_SERVERS.stream()
                                .flatMap(server -> Stream.of("53", "53/UDP").map(
                                        port -> pod + " calls " + port + " of " + server))))
                .flatMap(lines -> lines)
                .filter(line -> isBetween(line, pods))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> actual = packaging.all("NetworkPolicy")
                .flatMap(policy -> connections(packaging, policy))
                .collect(Collectors.toCollection(TreeSet::new));
        findings.demand(packaging.all("NetworkPolicy").map(policy -> policy.path("spec"))
                .anyMatch(spec -> spec.path("podSelector").isEmpty()
                        && spec.path("policyTypes").size() == 2
                        && !spec.has("ingress") && !spec.has("egress")),
                "no policy denies all by default");
        actual.forEach(line -> findings.demand(expected.contains(line), "allowed: " + line));
        expected.forEach(line -> findings.demand(actual.contains(line), "missing: " + line));
    }

    private static boolean isBetween(String line, Set<String> pods) {
        String[] words = line.split(" ");
        String peer = words[4];
        boolean pod = !peer.matches(".*[=/].*|anybody");
        return pods.contains(words[0]) && (!pod || pods.contains(peer));
    }

    private static Stream<String> connections(Packaging packaging, JsonNode policy) {
        List<String> accepted = policy.at("/spec/ingress").valueStream()
                .flatMap(rule -> lines(packaging, rule, "from")).toList();
        List<String> called = policy.at("/spec/egress").valueStream()
                .flatMap(rule -> lines(packaging, rule, "to")).toList();
        return packaging.selectedBy(policy.at("/spec/podSelector")).map(Pod::name)
                .flatMap(pod -> Stream.concat(
                        accepted.stream().map(line -> pod + " accepts " + line),
                        called.stream().map(line -> pod + " calls " + line)));
    }

    private static Stream<String> lines(Packaging packaging, JsonNode rule, String direction) {
        List<String> peers = rule.has(direction)
                ? rule.path(direction).valueStream()
                        .flatMap(peer -> peers(packaging, peer)).toList()
                : List.of("anybody");
        List<String> ports = rule.has("ports")
                ? rule.path("ports").valueStream().map(NetworkRules::port).toList()
                : List.of("any-port");
        String word = direction.equals("from") ? " from " : " of ";
        return ports.stream().flatMap(port -> peers.stream().map(peer -> port + word + peer));
    }

    private static String port(JsonNode port) {
        String last = port.has("endPort") ? "-" + port.path("endPort").asText() : "";
        String protocol = port.path("protocol").asText("TCP");
        return port.path("port").asText() + last + (protocol.equals("TCP") ? "" : "/" + protocol);
    }

    /** Returns our own pods by name, and others as the policy selects them. */
    private static Stream<String> peers(Packaging packaging, JsonNode peer) {
        if (peer.has("podSelector") && peer.has("namespaceSelector")) {
            return Stream.of("pods-elsewhere");
        }
        if (peer.has("podSelector")) {
            return packaging.selectedBy(peer.path("podSelector"))
                    .map(pod -> pod.labels().path(NAME_LABEL).asText());
        }
        if (peer.has("ipBlock")) {
            String but = peer.at("/ipBlock/except").valueStream().map(JsonNode::asText)
                    .collect(Collectors.joining(","));
            return Stream.of(peer.at("/ipBlock/cidr").asText()
                    + (but.isEmpty() ? "" : " but " + but));
        }
        JsonNode labels = peer.at("/namespaceSelector/matchLabels");
        return labels.isEmpty()
                ? Stream.of("anybody")
                : labels.propertyStream()
                        .map(label -> label.getKey() + "=" + label.getValue().asText());
    }
}
