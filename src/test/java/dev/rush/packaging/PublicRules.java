package dev.rush.packaging;

import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.rush.testing.Endpoints;
import dev.rush.testing.Sources;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the world may ask: all that the resources of the service offer, and nothing else. */
final class PublicRules {

    /** Where Quarkus puts what is not of the service: health, metrics and the contract. */
    private static final String INSIDE = "/q/health";

    private static final String PAGES = "src/main/java/dev/rush/http/Pages.java";
    private static final Pattern CLIENT = Pattern.compile("CLIENT = \"([^\"]+)\"");

    private static final String VISIBILITY = "networking.knative.dev/visibility";

    /** What was read of texts already. */
    private static final Map<String, Set<String>> READ = new ConcurrentHashMap<>();

    private PublicRules() {
    }

    /** The world reaches the public API by TLS, and nothing else. */
    static void publicPaths(Packaging packaging, Findings findings) {
        packaging.all("Ingress").forEach(ingress ->
                ingress(ingress, endpoints(packaging), findings.about(id(ingress))));
        packaging.all("HTTPRoute").forEach(route ->
                paths(routePaths(route), endpoints(packaging), findings.about(id(route))));
        packaging.all("Service").forEach(service -> {
            findings.demand(service.at("/spec/type").asText("ClusterIP").equals("ClusterIP"),
                    id(service) + " is open to the world");
            findings.demand(!service.at("/spec/ports").toString().matches(".*(management|9000).*"),
                    id(service) + " offers the management port");
        });
    }

    /** Where a header says who calls, only those who are trusted with it may call. */
    static void trustedCallers(Packaging packaging, Findings findings) {
        if (packaging.servicePods().stream()
                .map(pod -> Settings.environment(packaging, pod.main()))
                .anyMatch(settings -> "header".equals(settings.get("RUSH_IDENTITY")))) {
            Stream.of("Ingress", "HTTPRoute", "KnativeService").flatMap(packaging::all)
                    .forEach(open -> findings.demand(open.at("/metadata/labels").path(VISIBILITY)
                            .asText().equals("cluster-local"),
                            id(open) + " lets everybody be an operator"));
        }
    }

    /** The paths of the service by the annotations in its sources; OpenApiIT holds them to it. */
    private static Set<String> endpoints(Packaging packaging) {
        Map<String, String> texts = new TreeMap<>();
        packaging.paths("src/main/java/", ".java")
                .filter(path -> packaging.file(path).contains("@Path("))
                .forEach(path -> texts.put(path, packaging.file(path)));
        Map<String, String> unread = new TreeMap<>(texts);
        unread.values().removeIf(READ::containsKey);
        Sources.trees(unread).forEach((path, tree) ->
                READ.put(texts.get(path), Endpoints.of(tree)));
        Set<String> paths = new TreeSet<>();
        texts.values().forEach(text -> READ.get(text)
                .forEach(call -> paths.add(call.split(" ")[1])));
        // Every shop's page loads the client; the demonstration is nobody's in production.
        Matcher client = CLIENT.matcher(packaging.file(PAGES));
        while (client.find()) {
            paths.add(client.group(1));
        }
        return paths;
    }

    private static void ingress(JsonNode ingress, Set<String> endpoints, Findings findings) {
        paths(nodes(ingress, "/spec/rules/*/http/paths/*"), endpoints, findings);
        findings.demand(!ingress.path("spec").has("defaultBackend"), "leads to everything");
        findings.demand(nodes(ingress, "/spec/tls/*/hosts/0")
                .equals(nodes(ingress, "/spec/rules/*/host")), "serves a host without TLS");
    }

    /** The paths of a route without those that only some requests take, in an Ingress's words. */
    private static List<JsonNode> routePaths(JsonNode route) {
        return nodes(route, "/spec/rules/*/matches/*").stream()
                .filter(match -> !match.has("headers"))
                .<JsonNode>map(match -> JsonNodeFactory.instance.objectNode()
                        .put("path", match.at("/path/value").asText())
                        .put("pathType", match.at("/path/type").asText()))
                .toList();
    }

    private static void paths(List<JsonNode> paths, Set<String> endpoints, Findings findings) {
        endpoints.forEach(endpoint -> findings.demand(
                paths.stream().anyMatch(path -> leadsTo(path, endpoint)),
                "does not lead to " + endpoint));
        paths.forEach(path -> findings.demand(!leadsTo(path, INSIDE)
                && endpoints.stream().anyMatch(endpoint -> leadsTo(path, endpoint)),
                "leads to " + path.path("path") + ", which is not for the world"));
    }

    /** As Kubernetes reads a path of an Ingress: element by element, or in full. */
    private static boolean leadsTo(JsonNode path, String endpoint) {
        String begin = path.path("path").asText().replaceFirst("/$", "");
        return path.path("pathType").asText().equals("Exact") ? endpoint.equals(begin)
                : (endpoint + "/").startsWith(begin + "/");
    }
}
