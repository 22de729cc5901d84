package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The pods of one Deployment, StatefulSet, Job or Knative Service. */
record Pod(JsonNode owner) {

    static Pod of(JsonNode owner) {
        return new Pod(owner);
    }

    String id() {
        return Packaging.id(owner);
    }

    /** What NetworkPolicies and Services know these pods by. */
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
        return Stream.concat(each(spec().path("initContainers")), each(spec().path("containers")))
                .toList();
    }

    /** The container that the pod is for. */
    JsonNode main() {
        return spec().at("/containers/0");
    }

    boolean runsService() {
        return image(main()).equals(Packaging.SERVICE_IMAGE);
    }

    /** Whether one pod is replaced by another while the rest go on. */
    boolean lasting() {
        return owner.path("kind").asText().matches("Deployment|StatefulSet");
    }

    boolean knative() {
        return Packaging.kind(owner).equals("KnativeService");
    }

    /** A security setting of a container, which overrides that of its pod. */
    JsonNode security(JsonNode container, String field) {
        JsonNode own = container.at("/securityContext/" + field);
        return own.isMissingNode() ? spec().at("/securityContext/" + field) : own;
    }

    Optional<JsonNode> volume(String name) {
        return each(spec().path("volumes"))
                .filter(volume -> volume.path("name").asText().equals(name))
                .findFirst();
    }

    Stream<JsonNode> claims() {
        return each(owner.at("/spec/volumeClaimTemplates"));
    }

    static Optional<String> env(JsonNode container, String name) {
        return each(container.path("env"))
                .filter(variable -> variable.path("name").asText().equals(name))
                .map(variable -> variable.path("value").asText())
                .findFirst();
    }

    /** The image's name without tag and digest. */
    static String image(JsonNode container) {
        return container.path("image").asText().replaceFirst("@.*", "").replaceFirst(":[^/]*$", "");
    }
}
