package dev.rush.packaging;

import static dev.rush.packaging.Packaging.NAME_LABEL;
import static dev.rush.packaging.Packaging.id;
import static dev.rush.packaging.Packaging.name;
import static dev.rush.packaging.Packaging.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;

/**
 * Names and selectors find exactly the intended objects. For kinds that Monokle knows, MonokleTest
 * checks that they find anything at all.
 */
final class ReferenceRules {

    /** Created by cert-manager or by the user. */
    private static final String CERTIFICATE = "rush-tls";

    private ReferenceRules() {
    }

    /** Each selector matches the pods of one workload, or of all that run the service. */
    static void selectors(Packaging packaging, Findings findings) {
        for (Pod pod : packaging.pods().stream().filter(Pod::isReplicated).toList()) {
            List<String> selected = packaging.selectedBy(pod.owner().at("/spec/selector"))
                    .map(Pod::id).toList();
            findings.demand(selected.equals(List.of(pod.id())), pod.id() + " selects " + selected);
            findings.demand(name(pod.owner()).equals(pod.labels().path(NAME_LABEL).asText()),
                    pod.id() + " is not labelled with its name");
        }
        Stream.of("Service", "PodDisruptionBudget").flatMap(packaging::all).forEach(object ->
                findings.demand(packaging.selectedBy(object.at("/spec/selector")).count() == 1,
                        id(object) + " does not select the pods of one workload"));
        packaging.all("PodMonitor").forEach(object -> findings.demand(
                packaging.selectedBy(object.at("/spec/selector")).toList()
                        .equals(packaging.servicePods()),
                id(object) + " does not select the pods of the service"));
    }

    /** Each reference names an existing object. */
    static void references(Packaging packaging, Findings findings) {
        for (JsonNode object : packaging.objects()) {
            Findings found = findings.about(id(object));
            JsonNode spec = object.path("spec");
            for (JsonNode target : nodes(spec, "/scaleTargetRef")) {
                found.demand(packaging.find(target.path("kind").asText(),
                        target.path("name").asText()).isPresent(), "scales nothing");
            }
            for (JsonNode backend : nodes(spec, "/rules/*/http/paths/*/backend/service")) {
                found.demand(offers(packaging, backend, "name", backend.at("/port/name")),
                        "routes to the unknown service " + backend);
            }
            for (JsonNode backend : nodes(spec, "/rules/*/backendRefs/*")) {
                found.demand(offers(packaging, backend, "port", backend.path("port")),
                        "leads to the unknown service " + backend);
            }
            for (JsonNode secret : nodes(spec, "/tls/*/secretName")) {
                found.demand(secret.asText().equals(CERTIFICATE), "uses an unknown certificate");
            }
            for (JsonNode issuer : nodes(spec, "/issuerRef/name")) {
                found.demand(packaging.find("Issuer", issuer.asText()).isPresent(),
                        "has no issuer " + issuer);
            }
            for (JsonNode service : nodes(spec, "/serviceName")) {
                found.demand(packaging.find("Service", service.asText())
                        .filter(s -> s.at("/spec/clusterIP").asText().equals("None"))
                        .filter(s -> Labels.match(s.at("/spec/selector"), new Pod(object).labels()))
                        .isPresent(), "has no headless service " + service);
            }
            found.demand(object.path("kind").asText().equals("Namespace")
                    || object.at("/metadata/namespace").asText().equals("rush"),
                    "is in no namespace");
        }
    }

    private static boolean offers(Packaging p, JsonNode backend, String field, JsonNode port) {
        return p.find("Service", backend.path("name").asText()).stream()
                .flatMap(service -> service.at("/spec/ports").valueStream())
                .anyMatch(offered -> offered.path(field).equals(port));
    }
}
