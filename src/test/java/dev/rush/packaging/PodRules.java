package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;
import static dev.rush.packaging.Packaging.names;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** What a pod may do on its node: nothing but run. */
final class PodRules {

    /** The volume types of the Pod Security Standard "restricted" that we have a use for. */
    private static final Set<String> VOLUMES =
            Set.of("configMap", "emptyDir", "persistentVolumeClaim", "projected", "secret");

    /** The folders that each image writes to; all else is read-only. */
    private static final Map<String, Set<String>> WRITTEN = Map.of(
            Packaging.SERVICE_IMAGE, Set.of("/tmp"),
            "redis", Set.of("/data", "/tmp"),
            "postgres", Set.of("/data", "/tmp", "/var/run/postgresql"));

    private static final int FIRST_UNUSED_ID = 10_000;

    private PodRules() {
    }

    /** The Pod Security Standard "restricted". */
    static Stream<String> restricted(Packaging packaging) {
        JsonNode labels = packaging.get("Namespace", "rush").at("/metadata/labels");
        Stream<String> namespace = Stream.of("enforce", "audit", "warn")
                .filter(mode -> !labels.path("pod-security.kubernetes.io/" + mode).asText()
                        .equals("restricted"))
                .map(mode -> "the namespace does not " + mode + " the standard");
        return Stream.concat(namespace, packaging.pods().stream().flatMap(PodRules::restricted));
    }

    private static Stream<String> restricted(Pod pod) {
        return Stream.concat(
                Stream.of("hostNetwork", "hostPID", "hostIPC")
                        .filter(field -> pod.spec().path(field).asBoolean())
                        .map(field -> pod.id() + " shares " + field),
                Stream.concat(
                        each(pod.spec().path("volumes"))
                                .flatMap(volume -> names(volume))
                                .filter(type -> !type.equals("name") && !VOLUMES.contains(type))
                                .map(type -> pod.id() + " has a volume of type " + type),
                        pod.containers().stream().flatMap(c -> restricted(pod, c))));
    }

    private static Stream<String> restricted(Pod pod, JsonNode container) {
        JsonNode own = container.path("securityContext");
        JsonNode added = own.at("/capabilities/add");
        return Stream.of(
                demand(!own.path("privileged").asBoolean(), "is privileged"),
                demand(own.path("allowPrivilegeEscalation").isBoolean()
                        && !own.path("allowPrivilegeEscalation").asBoolean(),
                        "may gain privileges"),
                demand(pod.security(container, "runAsNonRoot").asBoolean(), "may run as root"),
                demand(pod.security(container, "seccompProfile").path("type").asText()
                        .matches("RuntimeDefault|Localhost"), "has no seccomp profile"),
                demand(each(own.at("/capabilities/drop")).anyMatch(c -> c.asText().equals("ALL")),
                        "keeps capabilities"),
                demand(each(added).allMatch(c -> c.asText().equals("NET_BIND_SERVICE")),
                        "adds capabilities"),
                demand(each(container.path("ports")).noneMatch(port -> port.has("hostPort")),
                        "takes a port of the node"),
                demand(!own.has("procMount"), "changes /proc"),
                demand(pod.security(container, "seLinuxOptions").isMissingNode(),
                        "changes what SELinux allows"),
                demand(!pod.security(container, "appArmorProfile").path("type").asText()
                        .equals("Unconfined"), "is not confined by AppArmor"),
                demand(!pod.spec().at("/securityContext").has("sysctls"), "sets sysctls"))
                .filter(Objects::nonNull)
                .map(finding -> pod.id() + " " + finding);
    }

    /** User and group are high, and those of the images that we build ourselves. */
    static Stream<String> userIds(Packaging packaging) {
        return packaging.pods().stream().flatMap(pod -> pod.containers().stream().flatMap(c -> {
            long user = pod.security(c, "runAsUser").asLong();
            long group = pod.security(c, "runAsGroup").asLong();
            Stream<String> low = Stream.of(user, group)
                    .filter(id -> id <= FIRST_UNUSED_ID)
                    .map(id -> pod.id() + " runs as " + id);
            Stream<String> other = pod.runsService()
                    ? packaging.paths("src/main/docker/", "")
                            .filter(path -> !packaging.file(path)
                                    .contains("\nUSER " + user + ":" + group + "\n"))
                            .map(path -> pod.id() + " runs as another user than " + path)
                    : Stream.empty();
            return Stream.concat(low, other);
        }));
    }

    /** The root is read-only; what must be written lies on a volume, and nothing else does. */
    static Stream<String> writablePaths(Packaging packaging) {
        return packaging.pods().stream().flatMap(pod -> pod.containers().stream().flatMap(c -> {
            Stream<String> root = Stream.of(demand(
                    pod.security(c, "readOnlyRootFilesystem").asBoolean(), "has a writable root"));
            Set<String> expected = WRITTEN.getOrDefault(Pod.image(c), Set.of());
            Stream<String> missing = expected.stream()
                    .filter(path -> pod.lasting() || pod.knative())
                    .filter(path -> each(c.path("volumeMounts")).noneMatch(
                            mount -> mount.path("mountPath").asText().equals(path)))
                    .map(path -> "cannot write " + path);
            Stream<String> mounts = each(c.path("volumeMounts")).map(m -> mount(pod, m, expected));
            return Stream.of(root, missing, mounts).flatMap(findings -> findings)
                    .filter(Objects::nonNull)
                    .map(finding -> pod.id() + " " + finding);
        }));
    }

    private static String mount(Pod pod, JsonNode mount, Set<String> written) {
        String name = mount.path("name").asText();
        String path = mount.path("mountPath").asText();
        boolean claim = pod.claims().anyMatch(c -> Packaging.name(c).equals(name));
        boolean empty = pod.volume(name).map(volume -> volume.has("emptyDir")).orElse(false);
        if (!claim && pod.volume(name).isEmpty()) {
            return "mounts the unknown volume " + name;
        }
        if (claim || empty) {
            return demand(written.contains(path), "need not write " + path);
        }
        return demand(mount.path("readOnly").asBoolean(), "may write " + path);
    }

    /** No pod talks to the Kubernetes API, and none is told of Services by its environment. */
    static Stream<String> tokens(Packaging packaging) {
        return packaging.pods().stream().flatMap(pod ->
                List.of("automountServiceAccountToken", "enableServiceLinks").stream()
                        .filter(field -> pod.spec().path(field).asBoolean(true))
                        .map(field -> pod.id() + " lacks " + field + ": false"));
    }

    private static String demand(boolean held, String finding) {
        return held ? null : finding;
    }
}
