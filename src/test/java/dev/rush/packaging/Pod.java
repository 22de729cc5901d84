package dev.rush.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The pods of one Deployment, StatefulSet, Job or Knative Service. */
record Pod(JsonNode owner) {

    String id() {
        return Packaging.id(owner);
    }

    /** The name label, by which NetworkPolicies and Services select these pods. */
    String name() {
        return labels().path(Packaging.NAME_LABEL).asText();
    }

    JsonNode labels() {
        return owner.at("/spec/template/metadata/labels");
    }

    JsonNode spec() {
        return owner.at("/spec/template/spec");
    }

    List<JsonNode> containers() {
        return Stream.of("initContainers", "containers")
                .flatMap(field -> spec().path(field).valueStream()).toList();
    }

    /** The main container. */
    JsonNode main() {
        return spec().at("/containers/0");
    }

    boolean runsService() {
        return image(main()).equals(Packaging.SERVICE_IMAGE);
    }

    /** Whether a Deployment or StatefulSet keeps a number of these pods running. */
    boolean isReplicated() {
        return owner.path("kind").asText().matches("Deployment|StatefulSet");
    }

    boolean knative() {
        return Packaging.kind(owner).equals("KnativeService");
    }

    /** The effective security setting of a container, which falls back to that of its pod. */
    JsonNode security(JsonNode container, String field) {
        JsonNode own = container.at("/securityContext/" + field);
        return own.isMissingNode() ? spec().at("/securityContext/" + field) : own;
    }

    Optional<JsonNode> volume(String name) {
        return spec().path("volumes").valueStream()
                .filter(volume -> volume.path("name").asText().equals(name))
                .findFirst();
    }

    Stream<JsonNode> claims() {
        return owner.at("/spec/volumeClaimTemplates").valueStream();
    }

    static Optional<String> env(JsonNode container, String name) {
        return container.path("env").valueStream()
                .filter(variable -> variable.path("name").asText().equals(name))
                .map(variable -> variable.path("value").asText())
                .findFirst();
    }

    /** Returns the image's name without tag and digest. */
    static String image(JsonNode container) {
        return container.path("image").asText().replaceFirst("@.*", "").replaceFirst(":[^/]*$", "");
    }
}
