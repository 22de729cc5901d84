package dev.rush.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Pods have no more rights than they need. MonokleTest checks the standards beyond these rules. */
final class PodRules {

    /** The folders that each image writes to; everything else is read-only. */
    private static final Map<String, Set<String>> WRITTEN = Map.of(
            Packaging.SERVICE_IMAGE, Set.of("/tmp"),
            "redis", Set.of("/data", "/tmp"),
            "postgres", Set.of("/data", "/tmp", "/var/run/postgresql"));

    private PodRules() {
    }

    /** The namespace enforces the standard, and pods meet what Monokle does not check of it. */
    static void podSecurity(Packaging packaging, Findings findings) {
        JsonNode labels = packaging.get("Namespace", "rush").at("/metadata/labels");
        for (String mode : List.of("enforce", "audit", "warn")) {
            findings.demand(labels.path("pod-security.kubernetes.io/" + mode).asText()
                    .equals("restricted"), "the namespace does not " + mode + " the standard");
        }
        for (Pod pod : packaging.pods()) {
            for (JsonNode container : pod.containers()) {
                Findings found = findings.about(pod.id());
                found.demand(pod.security(container, "runAsNonRoot").asBoolean(),
                        "may run as root");
                found.demand(!pod.security(container, "appArmorProfile").path("type").asText()
                        .equals("Unconfined"), "is not confined by AppArmor");
            }
        }
    }

    /** Pods run as the user and group of our own images. */
    static void userIds(Packaging packaging, Findings findings) {
        for (Pod pod : packaging.servicePods()) {
            String user = "\nUSER " + pod.security(pod.main(), "runAsUser").asText() + ":"
                    + pod.security(pod.main(), "runAsGroup").asText() + "\n";
            packaging.paths("src/main/docker/", "").forEach(path -> findings.about(pod.id())
                    .demand(packaging.file(path).contains(user), "runs as a different user than "
                            + path));
        }
    }

    /** Writable volumes are mounted exactly where an image writes. */
    static void writablePaths(Packaging packaging, Findings all) {
        for (Pod pod : packaging.pods()) {
            Findings findings = all.about(pod.id());
            for (JsonNode container : pod.containers()) {
                Set<String> written = WRITTEN.getOrDefault(Pod.image(container), Set.of());
                List<JsonNode> mounts = container.path("volumeMounts").valueStream().toList();
                written.forEach(path -> findings.demand(
                        !(pod.isReplicated() || pod.knative()) || mounts.stream().anyMatch(
                                mount -> mount.path("mountPath").asText().equals(path)),
                        "cannot write " + path));
                mounts.forEach(mount -> mount(pod, mount, written, findings));
            }
        }
    }

    private static void mount(Pod pod, JsonNode mount, Set<String> written, Findings findings) {
        String name = mount.path("name").asText();
        String path = mount.path("mountPath").asText();
        boolean claim = pod.claims().anyMatch(c -> Packaging.name(c).equals(name));
        boolean empty = pod.volume(name).map(volume -> volume.has("emptyDir")).orElse(false);
        findings.demand(claim || pod.volume(name).isPresent(), "mounts no volume at " + path);
        if (claim || empty) {
            findings.demand(written.contains(path), "need not write " + path);
        } else {
            findings.demand(mount.path("readOnly").asBoolean(), "may write " + path);
        }
    }

    /** No pod gets a Kubernetes API token or the environment variables of Services. */
    static void tokens(Packaging packaging, Findings findings) {
        for (Pod pod : packaging.pods()) {
            for (String field : List.of("automountServiceAccountToken", "enableServiceLinks")) {
                findings.demand(!pod.spec().path(field).asBoolean(true),
                        pod.id() + " lacks " + field + ": false");
            }
        }
    }
}
