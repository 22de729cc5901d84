package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;
import static dev.rush.packaging.Packaging.id;

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
    static Stream<String> publicPaths(Packaging packaging) {
        Stream<String> ingresses = packaging.all("Ingress")
                .flatMap(ingress -> ingress(ingress, endpoints(packaging))
                        .map(finding -> id(ingress) + " " + finding));
        Stream<String> services = packaging.all("Service")
                .filter(service -> service.path("spec").has("type"))
                .filter(service -> !service.at("/spec/type").asText().equals("ClusterIP"))
                .map(service -> id(service) + " is open to the world");
        Stream<String> management = packaging.all("Service")
                .filter(service -> each(service.at("/spec/ports"))
                        .anyMatch(port -> port.toString().matches(".*(management|9000).*")))
                .map(service -> id(service) + " offers the management port");
        Stream<String> routes = packaging.all("HTTPRoute")
                .flatMap(route -> paths(routePaths(route), endpoints(packaging))
                        .map(finding -> id(route) + " " + finding));
        return Stream.of(ingresses, services, management, routes).flatMap(findings -> findings);
    }

    /** Where a header says who calls, only those who are trusted with it may call. */
    static Stream<String> trustedCallers(Packaging packaging) {
        boolean header = packaging.servicePods().stream()
                .map(pod -> Settings.environment(packaging, pod.main()))
                .anyMatch(settings -> "header".equals(settings.get("RUSH_IDENTITY")));
        return !header ? Stream.empty() : Stream.concat(
                Stream.of("Ingress", "HTTPRoute").flatMap(packaging::all)
                        .map(open -> id(open) + " lets everybody be an operator"),
                packaging.all("KnativeService")
                        .filter(service -> !service.at("/metadata/labels").path(VISIBILITY)
                                .asText().equals("cluster-local"))
                        .map(open -> id(open) + " lets everybody be an operator"));
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

    private static Stream<String> ingress(JsonNode ingress, Set<String> endpoints) {
        List<JsonNode> paths = each(ingress.at("/spec/rules"))
                .flatMap(rule -> each(rule.at("/http/paths"))).toList();
        Stream<String> rest = Stream.of(ingress).filter(i -> i.path("spec").has("defaultBackend"))
                .map(i -> "leads to everything");
        Stream<String> hosts = Stream.of(ingress)
                .filter(i -> !hosts(i, "/spec/tls", "/hosts/0")
                        .equals(hosts(i, "/spec/rules", "/host")))
                .map(i -> "serves a host without TLS");
        return Stream.of(paths(paths, endpoints), rest, hosts).flatMap(findings -> findings);
    }

    /** The paths of a route without those that only some requests take, in an Ingress's words. */
    private static List<JsonNode> routePaths(JsonNode route) {
        return each(route.at("/spec/rules")).flatMap(rule -> each(rule.path("matches")))
                .filter(match -> !match.has("headers"))
                .<JsonNode>map(match -> JsonNodeFactory.instance.objectNode()
                        .put("path", match.at("/path/value").asText())
                        .put("pathType", match.at("/path/type").asText()))
                .toList();
    }

    private static Stream<String> paths(List<JsonNode> paths, Set<String> endpoints) {
        Stream<String> missing = endpoints.stream()
                .filter(endpoint -> paths.stream().noneMatch(path -> leadsTo(path, endpoint)))
                .map(endpoint -> "does not lead to " + endpoint);
        Stream<String> vain = paths.stream()
                .filter(path -> endpoints.stream().noneMatch(endpoint -> leadsTo(path, endpoint)))
                .map(path -> "leads to " + path.path("path") + ", which the service has not");
        Stream<String> inside = paths.stream().filter(path -> leadsTo(path, INSIDE))
                .map(path -> "leads to " + INSIDE);
        return Stream.of(missing, vain, inside).flatMap(findings -> findings);
    }

    /** As Kubernetes reads a path of an Ingress: element by element, or in full. */
    private static boolean leadsTo(JsonNode path, String endpoint) {
        String begin = path.path("path").asText().replaceFirst("/$", "");
        return path.path("pathType").asText().equals("Exact") ? endpoint.equals(begin)
                : (endpoint + "/").startsWith(begin + "/");
    }

    private static List<String> hosts(JsonNode ingress, String list, String host) {
        return each(ingress.at(list)).map(entry -> entry.at(host).asText()).toList();
    }
}
