package dev.rush.packaging;

import static java.math.BigDecimal.ZERO;

import com.fasterxml.jackson.databind.JsonNode;
import io.kubernetes.client.custom.Quantity;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The resources that pods request and the namespace allows. */
final class ResourceRules {

    private static final BigDecimal HALF = new BigDecimal("0.5");

    private static final BigDecimal REDIS_SHARE = new BigDecimal("0.75");

    private static final BigDecimal MEBIBYTE = BigDecimal.valueOf(1L << 20);

    private static final Pattern HEAP = Pattern.compile("\"-XX:MaxRAMPercentage=(\\d+)\"");

    private static final Pattern BUFFERS =
            Pattern.compile("\"-XX:MaxDirectMemorySize=(\\d+)m\"");

    /** Classes, code and stacks; SurvivalIT shows that a pod under attack needs less. */
    private static final BigDecimal OTHER_JAVA_MIB = new BigDecimal(160);

    /** A digest or a full version: any other tag could change with a restart. */
    private static final String EXACT =
            "(.*@sha256:[0-9a-f]{64}|.*:\\d+[.]\\d+[.]\\d+(-\\w+)?|postgres:\\d+[.]\\d+-\\w+)";

    private ResourceRules() {
    }

    /** Every limit has a request that does not exceed it. Monokle requires the usual limits. */
    static void resources(Packaging packaging, Findings findings) {
        for (Pod pod : packaging.pods()) {
            for (JsonNode container : pod.containers()) {
                JsonNode limits = container.at("/resources/limits");
                findings.demand(limits.has("ephemeral-storage"),
                        pod.id() + " has no limit of ephemeral-storage");
                limits.properties().forEach(limit -> {
                    JsonNode request = container.at("/resources/requests").path(limit.getKey());
                    findings.demand(!request.isMissingNode()
                            && quantity(request).compareTo(quantity(limit.getValue())) <= 0,
                            pod.id() + " requests no " + limit.getKey() + ", or too much");
                });
            }
        }
    }

    /** Redis keeps a quarter of its memory free for copies of pages during an AOF rewrite. */
    static void redisMemory(Packaging packaging, Findings findings) {
        JsonNode redis = new Pod(packaging.get("StatefulSet", "redis")).main();
        String maxmemory = Pod.env(redis, "REDIS_MAXMEMORY").orElse("0");
        BigDecimal limit = quantity(redis.at("/resources/limits/memory"));
        BigDecimal max = new BigDecimal(maxmemory.replace("mb", "")).multiply(MEBIBYTE);
        findings.demand(max.signum() > 0 && max.compareTo(limit.multiply(REDIS_SHARE)) <= 0,
                "maxmemory " + maxmemory + " exceeds three quarters of the limit  " + limit);
    }

    /** Heap, direct buffers and other memory of Java fit into the memory limit of the pods. */
    static void javaMemory(Packaging packaging, Findings findings) {
        BigDecimal limit = packaging.servicePods().stream()
                .map(pod -> quantity(pod.main().at("/resources/limits/memory")))
                .reduce(BigDecimal::min).orElse(ZERO);
        packaging.paths("src/main/docker/", "").forEach(path -> {
            String command = entrypoint(packaging.file(path));
            if (command.contains("\"java\"")) {
                javaMemory(command, limit, findings.about(path));
            }
        });
    }

    private static String entrypoint(String dockerfile) {
        return dockerfile.substring(Math.max(0, dockerfile.lastIndexOf("\nENTRYPOINT")));
    }

    private static void javaMemory(String command, BigDecimal limit, Findings findings) {
        Matcher heap = HEAP.matcher(command);
        Matcher buffers = BUFFERS.matcher(command);
        boolean bounded = heap.find() && buffers.find();
        findings.demand(bounded, "does not bound the heap and the direct buffers");
        findings.demand(command.contains("\"-Dio.netty.maxDirectMemory=0\""),
                "lets Netty count its buffers separately, so they may use twice the memory");
        if (bounded) {
            BigDecimal other = limit
                    .subtract(limit.multiply(new BigDecimal(heap.group(1)).movePointLeft(2)))
                    .subtract(new BigDecimal(buffers.group(1)).multiply(MEBIBYTE));
            findings.demand(other.compareTo(OTHER_JAVA_MIB.multiply(MEBIBYTE)) >= 0,
                    "leaves only " + other + " bytes for classes, code and stacks");
        }
    }

    /** The quota suffices for every workload at its maximum, during a rollout. */
    static void quota(Packaging packaging, Findings findings) {
        packaging.get("ResourceQuota", "rush").at("/spec/hard").properties().forEach(entry -> {
            BigDecimal needed = packaging.pods().stream()
                    .map(pod -> needed(packaging, pod, entry.getKey()))
                    .reduce(ZERO, BigDecimal::add);
            findings.demand(needed.compareTo(quantity(entry.getValue())) <= 0, "the quota of "
                    + entry.getKey() + " is " + entry.getValue() + ", needed " + needed);
        });
    }

    private static BigDecimal needed(Packaging packaging, Pod pod, String resource) {
        BigDecimal pods = BigDecimal.valueOf(Scale.maxPodsInRollout(packaging, pod));
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

    /** Images have exact versions and no registry, and the service uses the image that is built. */
    static void images(Packaging packaging, Findings all) {
        String built = Stream.of("group", "name", "tag")
                .map(part -> packaging.setting("quarkus.container-image." + part).orElse("?"))
                .collect(Collectors.joining("/")).replaceFirst("/([^/]*)$", ":$1");
        all.demand(built.startsWith(Packaging.SERVICE_IMAGE + ":"), "the build creates " + built);
        for (Pod pod : packaging.pods()) {
            for (JsonNode container : pod.containers()) {
                String image = container.path("image").asText();
                String name = Pod.image(container);
                Findings findings = all.about(pod.id() + " runs " + image + ", which");
                findings.demand(image.matches(EXACT), "is no exact version");
                findings.demand(!name.equals(Packaging.SERVICE_IMAGE) || image.equals(built),
                        "is not " + built);
                findings.demand(List.of(Packaging.SERVICE_IMAGE, "redis", "postgres")
                        .contains(name), "has a registry or is unknown");
                findings.demand(container.path("imagePullPolicy").asText().equals("IfNotPresent"),
                        "is pulled whenever a container restarts");
            }
        }
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
