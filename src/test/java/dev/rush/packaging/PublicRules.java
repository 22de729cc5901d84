package dev.rush.packaging;

import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The internet reaches the public API of the service and nothing else. */
final class PublicRules {

    /** Quarkus serves health, metrics and the API document under this prefix. */
    private static final String INTERNAL = "/q/health";

    private static final String OPENAPI = "docs/reference/openapi.yaml";
    private static final Pattern PATH = Pattern.compile("(?m)^  (/\\S+):$");

    private static final String PAGES = "src/main/java/dev/rush/http/Pages.java";
    private static final Pattern CLIENT = Pattern.compile("CLIENT = \"([^\"]+)\"");

    private static final String VISIBILITY = "networking.knative.dev/visibility";

    private PublicRules() {
    }

    /** Ingress and route lead to the public API over TLS, and to nothing else. */
    static void publicPaths(Packaging packaging, Findings findings) {
        packaging.all("Ingress").forEach(ingress ->
                ingress(ingress, endpoints(packaging), findings.about(id(ingress))));
        packaging.all("HTTPRoute").forEach(route ->
                paths(routePaths(route), endpoints(packaging), findings.about(id(route))));
        packaging.all("Service").forEach(service -> findings.demand(
                !service.at("/spec/ports").toString().matches(".*(management|9000).*"),
                id(service) + " exposes the management port"));
    }

    /** If a header identifies the caller, only callers within the cluster reach the service. */
    static void trustedCallers(Packaging packaging, Findings findings) {
        if (packaging.servicePods().stream()
                .map(pod -> Settings.environment(packaging, pod.main()))
                .anyMatch(settings -> "header".equals(settings.get("RUSH_IDENTITY")))) {
            Stream.of("Ingress", "HTTPRoute", "KnativeService").flatMap(packaging::all)
                    .forEach(open -> findings.demand(open.at("/metadata/labels").path(VISIBILITY)
                            .asText().equals("cluster-local"),
                            id(open) + " lets anyone act as an operator"));
        }
    }

    /** Returns the paths of the API, which OpenApiIT compares with the code. */
    private static Set<String> endpoints(Packaging packaging) {
        // Shops' pages load the browser client; the demo is not for production.
        return Stream.concat(PATH.matcher(packaging.file(OPENAPI)).results(),
                        CLIENT.matcher(packaging.file(PAGES)).results())
                .map(found -> found.group(1)).collect(Collectors.toSet());
    }

    private static void ingress(JsonNode ingress, Set<String> endpoints, Findings findings) {
        paths(nodes(ingress, "/spec/rules/*/http/paths/*"), endpoints, findings);
        findings.demand(!ingress.path("spec").has("defaultBackend"), "has a default backend");
        findings.demand(nodes(ingress, "/spec/tls/*/hosts/0")
                .equals(nodes(ingress, "/spec/rules/*/host")), "serves a host without TLS");
    }

    /** Returns the unconditional paths of a route, in the form of an Ingress. */
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
        paths.forEach(path -> findings.demand(!leadsTo(path, INTERNAL)
                && endpoints.stream().anyMatch(endpoint -> leadsTo(path, endpoint)),
                "leads to " + path.path("path") + ", which is not public"));
    }

    /** Matches as Kubernetes does: exactly, or by the elements of a prefix. */
    private static boolean leadsTo(JsonNode path, String endpoint) {
        String prefix = path.path("path").asText().replaceFirst("/$", "");
        return path.path("pathType").asText().equals("Exact") ? endpoint.equals(prefix)
                : (endpoint + "/").startsWith(prefix + "/");
    }
}
