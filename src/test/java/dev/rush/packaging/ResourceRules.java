package dev.rush.packaging;

import static java.math.BigDecimal.ZERO;

import com.fasterxml.jackson.databind.JsonNode;
import io.kubernetes.client.custom.Quantity;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What pods ask of a node, and what the namespace allows. */
final class ResourceRules {

    private static final List<String> KINDS = List.of("cpu", "memory", "ephemeral-storage");

    private static final BigDecimal HALF = new BigDecimal("0.5");

    private static final BigDecimal REDIS_SHARE = new BigDecimal("0.75");

    private static final BigDecimal MEBIBYTE = BigDecimal.valueOf(1L << 20);

    private static final Pattern HEAP = Pattern.compile("\"-XX:MaxRAMPercentage=(\\d+)\"");

    private static final Pattern BUFFERS =
            Pattern.compile("\"-XX:MaxDirectMemorySize=(\\d+)m\"");

    /** In MiB; a pod under attack needs less, see SurvivalIT. */
    private static final BigDecimal REST_OF_JAVA = new BigDecimal(160);

    /** A digest, or a tag with a full version: what moves would change with a restart. */
    private static final String EXACT =
            "(.*@sha256:[0-9a-f]{64}|.*:\\d+[.]\\d+[.]\\d+(-\\w+)?|postgres:\\d+[.]\\d+-\\w+)";

    private ResourceRules() {
    }

    static Stream<String> resources(Packaging packaging) {
        return packaging.pods().stream().flatMap(pod -> pod.containers().stream()
                .flatMap(container -> KINDS.stream().flatMap(kind -> {
                    JsonNode request = container.at("/resources/requests").path(kind);
                    JsonNode limit = container.at("/resources/limits").path(kind);
                    if (request.isMissingNode() || limit.isMissingNode()) {
                        return Stream.of(pod.id() + " has no request or limit of " + kind);
                    }
                    return quantity(request).compareTo(quantity(limit)) > 0
                            ? Stream.of(pod.id() + " asks for more " + kind + " than its limit")
                            : Stream.empty();
                })));
    }

    /** Redis keeps a quarter of its memory free for what it copies while it rewrites the AOF. */
    static Stream<String> redisMemory(Packaging packaging) {
        JsonNode redis = new Pod(packaging.get("StatefulSet", "redis")).main();
        String maxmemory = Pod.env(redis, "REDIS_MAXMEMORY").orElse("0");
        BigDecimal limit = quantity(redis.at("/resources/limits/memory"));
        BigDecimal most = new BigDecimal(maxmemory.replace("mb", ""))
                .multiply(MEBIBYTE);
        return most.signum() > 0 && most.compareTo(limit.multiply(REDIS_SHARE)) <= 0
                ? Stream.empty()
                : Stream.of("maxmemory " + maxmemory + " is too much for a limit of " + limit);
    }

    /** Heap, buffers and the rest of Java fit in the pods' limit, or the kernel kills it. */
    static Stream<String> javaMemory(Packaging packaging) {
        BigDecimal limit = packaging.servicePods().stream()
                .map(pod -> quantity(pod.main().at("/resources/limits/memory")))
                .reduce(BigDecimal::min).orElse(ZERO);
        return packaging.paths("src/main/docker/", "")
                .filter(path -> entrypoint(packaging.file(path)).contains("\"java\""))
                .flatMap(path -> javaMemory(entrypoint(packaging.file(path)), limit)
                        .map(finding -> path + " " + finding));
    }

    private static String entrypoint(String dockerfile) {
        return dockerfile.substring(Math.max(0, dockerfile.lastIndexOf("\nENTRYPOINT")));
    }

    private static Stream<String> javaMemory(String command, BigDecimal limit) {
        Matcher heap = HEAP.matcher(command);
        Matcher buffers = BUFFERS.matcher(command);
        if (!heap.find() || !buffers.find()) {
            return Stream.of("bounds the heap or the buffers beside it nowhere");
        }
        if (!command.contains("\"-Dio.netty.maxDirectMemory=0\"")) {
            return Stream.of("lets Netty count its buffers apart, so there may be twice as many");
        }
        BigDecimal rest = limit
                .subtract(limit.multiply(new BigDecimal(heap.group(1)).movePointLeft(2)))
                .subtract(new BigDecimal(buffers.group(1)).multiply(MEBIBYTE));
        return rest.compareTo(REST_OF_JAVA.multiply(MEBIBYTE)) >= 0 ? Stream.empty()
                : Stream.of("leaves only " + rest + " bytes for classes, code and stacks");
    }

    /** The quota holds every workload at its largest, in the middle of a rollout. */
    static Stream<String> quota(Packaging packaging) {
        JsonNode hard = packaging.get("ResourceQuota", "rush").at("/spec/hard");
        return hard.properties().stream().flatMap(entry -> {
            BigDecimal needed = packaging.pods().stream()
                    .map(pod -> needed(packaging, pod, entry.getKey()))
                    .reduce(ZERO, BigDecimal::add);
            return needed.compareTo(quantity(entry.getValue())) > 0
                    ? Stream.of("the quota of " + entry.getKey() + " is " + entry.getValue()
                            + ", needed " + needed)
                    : Stream.empty();
        });
    }

    private static BigDecimal needed(Packaging packaging, Pod pod, String resource) {
        BigDecimal pods = BigDecimal.valueOf(Scale.mostPodsInRollout(packaging, pod));
        return switch (resource) {
            case "pods" -> pods;
            case "requests.storage" -> pods.multiply(pod.claims()
                    .map(claim -> quantity(claim.at("/spec/resources/requests/storage")))
                    .reduce(ZERO, BigDecimal::add));
            default -> {
                String pointer = "/resources/" + resource.replaceFirst("[.]", "/");
                Function<JsonNode, BigDecimal> amount = c -> quantity(c.at(pointer));
                yield pods.multiply(pod.containers().stream().map(amount)
                        .reduce(ZERO, BigDecimal::add));
            }
        };
    }

    /** Versions or digests are exact, no registry is named, and the service has one name. */
    static Stream<String> images(Packaging packaging) {
        String group = packaging.setting("quarkus.container-image.group").orElse("?");
        String name = packaging.setting("quarkus.container-image.name").orElse("?");
        Stream<String> service = (group + "/" + name).equals(Packaging.SERVICE_IMAGE)
                ? Stream.empty()
                : Stream.of("the build makes " + group + "/" + name);
        return Stream.concat(service, packaging.pods().stream()
                .flatMap(pod -> pod.containers().stream()
                        .flatMap(container -> image(packaging, container))
                        .map(finding -> pod.id() + " " + finding)));
    }

    private static Stream<String> image(Packaging packaging, JsonNode container) {
        String image = container.path("image").asText();
        String built = Packaging.SERVICE_IMAGE + ":"
                + packaging.setting("quarkus.container-image.tag").orElse("?");
        return Stream.of(
                image.matches(EXACT) ? "" : "has no exact version: " + image,
                !Pod.image(container).equals(Packaging.SERVICE_IMAGE) || image.equals(built)
                        ? "" : "runs " + image + ", and the build makes " + built,
                image.matches("[^/]*[.:][^/]*/.*") ? "names a registry: " + image : "",
                List.of(Packaging.SERVICE_IMAGE, "redis", "postgres").contains(Pod.image(container))
                        ? "" : "runs an unknown image: " + image,
                container.path("imagePullPolicy").asText().equals("IfNotPresent")
                        ? "" : "asks the registry again whenever a container restarts")
                .filter(finding -> !finding.isEmpty());
    }

    static BigDecimal quantity(JsonNode quantity) {
        return quantity.isMissingNode() ? ZERO : Quantity.fromString(quantity.asText()).getNumber();
    }

    /** Whole CPUs that a container may use, at least one. */
    static int cpus(JsonNode container) {
        BigDecimal limit = quantity(container.at("/resources/limits/cpu"));
        return limit.add(HALF).max(BigDecimal.ONE).intValue();
    }
}
