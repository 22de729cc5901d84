package dev.rush.packaging;

import static dev.rush.packaging.Packaging.NAME_LABEL;
import static dev.rush.packaging.Packaging.each;
import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.name;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Everything that names or selects something finds exactly what it means. */
final class ReferenceRules {

    /** Objects with passwords and keys, which the user makes outside of these files. */
    private static final Set<String> FROM_THE_USER =
            Set.of("Secret/rush-secret", "Secret/redis-auth", "Secret/rush-tls");

    /** Brought by cert-manager, or by the user. */
    private static final String REDIS_TLS = "redis-tls";

    private ReferenceRules() {
    }

    /** Labels: each selector matches pods, and the pods of one workload only where it must. */
    static Stream<String> selectors(Packaging packaging) {
        Stream<String> workloads = packaging.pods().stream().filter(Pod::lasting)
                .flatMap(pod -> workload(packaging, pod));
        Stream<String> one = Stream.of("Service", "PodDisruptionBudget").flatMap(packaging::all)
                .filter(object -> packaging.selectedBy(selector(object)).count() != 1)
                .map(object -> id(object) + " does not select the pods of one workload");
        Stream<String> some = packaging.all("NetworkPolicy")
                .filter(object -> packaging.selectedBy(selector(object)).findAny().isEmpty())
                .map(object -> id(object) + " selects nothing");
        Stream<String> service = packaging.all("PodMonitor")
                .filter(object -> !packaging.selectedBy(selector(object)).toList()
                        .equals(packaging.servicePods()))
                .map(object -> id(object) + " does not select the pods of the service");
        return Stream.of(workloads, one, some, service).flatMap(findings -> findings);
    }

    private static Stream<String> workload(Packaging packaging, Pod pod) {
        JsonNode owner = pod.owner();
        List<String> selected = packaging.selectedBy(owner.at("/spec/selector"))
                .map(Pod::id).toList();
        Stream<String> selector = selected.equals(List.of(pod.id()))
                ? Stream.empty()
                : Stream.of(pod.id() + " selects " + selected);
        Stream<String> label = name(owner).equals(pod.labels().path(NAME_LABEL).asText())
                ? Stream.empty()
                : Stream.of(pod.id() + " is not labelled with its name");
        return Stream.concat(selector, label);
    }

    private static JsonNode selector(JsonNode object) {
        JsonNode podSelector = object.at("/spec/podSelector");
        return podSelector.isMissingNode() ? object.at("/spec/selector") : podSelector;
    }

    /** Names: each reference leads to an object that is there. */
    static Stream<String> references(Packaging packaging) {
        Stream<String> hpas = Stream.of("HorizontalPodAutoscaler", "ScaledObject")
                .flatMap(packaging::all)
                .flatMap(hpa -> missing(packaging, hpa,
                        hpa.at("/spec/scaleTargetRef/kind").asText(),
                        hpa.at("/spec/scaleTargetRef/name").asText()));
        Stream<String> ingresses = packaging.all("Ingress").flatMap(i -> ingress(packaging, i));
        Stream<String> routes = packaging.all("HTTPRoute").flatMap(r -> route(packaging, r));
        Stream<String> issuers = packaging.all("Certificate").flatMap(certificate -> missing(
                packaging, certificate, "Issuer", certificate.at("/spec/issuerRef/name").asText()));
        Stream<String> headless = packaging.all("StatefulSet").flatMap(s -> headless(packaging, s));
        Stream<String> pods = packaging.pods().stream().flatMap(pod -> podParts(packaging, pod));
        Stream<String> namespaces = packaging.objects().stream()
                .filter(object -> !object.path("kind").asText().equals("Namespace"))
                .filter(object -> !object.at("/metadata/namespace").asText().equals("rush"))
                .map(object -> id(object) + " is in no namespace");
        return Stream.of(hpas, ingresses, routes, issuers, headless, pods, namespaces)
                .flatMap(f -> f);
    }

    private static Stream<String> route(Packaging packaging, JsonNode route) {
        return each(route.at("/spec/rules")).flatMap(rule -> each(rule.path("backendRefs")))
                .filter(backend -> packaging.find("Service", backend.path("name").asText())
                        .filter(service -> each(service.at("/spec/ports")).anyMatch(
                                port -> port.path("port").equals(backend.path("port"))))
                        .isEmpty())
                .map(backend -> id(route) + " leads to the unknown service " + backend);
    }

    private static Stream<String> ingress(Packaging packaging, JsonNode ingress) {
        Stream<String> backends = each(ingress.at("/spec/rules"))
                .flatMap(rule -> each(rule.at("/http/paths")))
                .map(path -> path.at("/backend/service"))
                .filter(backend -> packaging.find("Service", backend.path("name").asText())
                        .filter(service -> each(service.at("/spec/ports")).anyMatch(
                                port -> port.path("name").equals(backend.at("/port/name"))))
                        .isEmpty())
                .map(backend -> id(ingress) + " leads to the unknown service " + backend);
        Stream<String> secrets = each(ingress.at("/spec/tls"))
                .map(tls -> tls.path("secretName").asText())
                .flatMap(name -> missing(packaging, ingress, "Secret", name));
        return Stream.concat(backends, secrets);
    }

    private static Stream<String> headless(Packaging packaging, JsonNode set) {
        String name = set.at("/spec/serviceName").asText();
        JsonNode labels = new Pod(set).labels();
        boolean found = packaging.find("Service", name)
                .filter(service -> service.at("/spec/clusterIP").asText().equals("None"))
                .filter(service -> Labels.match(service.at("/spec/selector"), labels))
                .isPresent();
        return found ? Stream.empty() : Stream.of(id(set) + " has no headless service " + name);
    }

    private static Stream<String> podParts(Packaging packaging, Pod pod) {
        Stream<String> account = Stream.of(pod.spec().path("serviceAccountName").asText())
                .flatMap(name -> missing(packaging, pod.owner(), "ServiceAccount", name));
        Stream<String> volumes = each(pod.spec().path("volumes")).flatMap(volume -> {
            String map = volume.at("/configMap/name").asText();
            String secret = volume.at("/secret/secretName").asText();
            return Stream.concat(
                    missing(packaging, pod.owner(), "ConfigMap", map),
                    missing(packaging, pod.owner(), "Secret", secret));
        });
        Stream<String> environment = pod.containers().stream()
                .flatMap(container -> each(container.path("envFrom")))
                .flatMap(from -> missing(packaging, pod.owner(), "ConfigMap",
                        from.at("/configMapRef/name").asText()));
        return Stream.of(account, volumes, environment).flatMap(findings -> findings);
    }

    private static Stream<String> missing(Packaging p, JsonNode from, String kind, String name) {
        boolean present = name.isEmpty() || p.find(kind, name).isPresent()
                || !p.dev() && FROM_THE_USER.contains(kind + "/" + name)
                || name.equals("rush-tls") || name.equals(REDIS_TLS);
        return present ? Stream.empty() : Stream.of(id(from) + " needs " + kind + "/" + name);
    }
}
