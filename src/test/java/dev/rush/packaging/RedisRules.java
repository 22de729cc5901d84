package dev.rush.packaging;

import static dev.rush.packaging.Packaging.name;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How Kubernetes runs the Redis Cluster, and how the service and the scripts reach it. {@link
 * RedisScriptsTest} checks redis.conf and the scripts.
 */
final class RedisRules {

    private RedisRules() {
    }

    /** Returns the host names that the nodes announce. */
    static List<String> hosts(Packaging packaging) {
        JsonNode set = packaging.get("StatefulSet", "redis");
        return IntStream.range(0, set.at("/spec/replicas").asInt())
                .mapToObj(i -> name(set) + "-" + i + "." + set.at("/spec/serviceName").asText())
                .toList();
    }

    /** The service and the scripts know all pods of the StatefulSet. */
    static void seeds(Packaging packaging, Findings findings) {
        List<String> nodes = hosts(packaging);
        String expected = nodes.stream().map(host -> "redis://rush@" + host + ":6379")
                .collect(Collectors.joining(","));
        Map<String, String> variables = Map.of("REDIS_NODES", String.valueOf(nodes.size()),
                "REDIS_SERVICE", nodes.get(0).replaceFirst(".*[.]", ""));
        for (Pod pod : packaging.pods()) {
            findings.demand(!pod.runsService() || expected.equals(
                    Settings.environment(packaging, pod.main())
                            .getOrDefault("QUARKUS_REDIS_HOSTS", "").replace("rediss:", "redis:")),
                    pod.id() + " does not know exactly the hosts " + expected);
            variables.forEach((name, value) -> findings.demand(
                    !Pod.image(pod.main()).equals("redis")
                            || Pod.env(pod.main(), name).filter(value::equals).isPresent(),
                    pod.id() + " needs " + name + "=" + value));
        }
    }

    /** All nodes start at once and find each other, and pods outlive a dead master. */
    static void config(Packaging packaging, Findings findings) {
        findings.demand(packaging.get("Service", "redis")
                .at("/spec/publishNotReadyAddresses").asBoolean(), "hides pods that are not ready");
        findings.demand(packaging.get("StatefulSet", "redis").at("/spec/podManagementPolicy")
                .asText().equals("Parallel"), "pods that start one by one form no cluster");
        findings.demand(packaging.setting("quarkus.redis.health.enabled").filter("false"::equals)
                .isPresent(), "a dead Redis master takes every pod out of rotation");
    }

    /** All scripts of the folder are mounted, and containers run only these. */
    static void scripts(Packaging packaging, Findings findings) {
        List<String> mounted = packaging.all("ConfigMap")
                .filter(map -> name(map).startsWith("redis-scripts"))
                .flatMap(map -> map.path("data").propertyStream())
                .map(script -> "k8s/redis/scripts/" + script.getKey()).sorted().toList();
        findings.demand(mounted.equals(packaging.paths("k8s/redis/scripts/", "").toList()),
                "the mounted scripts are not those of the folder");
        packaging.pods().stream().filter(pod -> Pod.image(pod.main()).equals("redis"))
                .forEach(pod -> Stream.of("/command/1", "/readinessProbe/exec/command/1",
                                "/livenessProbe/exec/command/1", "/startupProbe/exec/command/1",
                                "/lifecycle/preStop/exec/command/1")
                        .map(pointer -> pod.main().at(pointer).asText())
                        .filter(path -> path.startsWith("/"))
                        .map(path -> "k8s" + path.substring("/etc".length()))
                        .forEach(path -> findings.demand(mounted.contains(path),
                                pod.id() + " runs " + path + ", which is not mounted")));
    }
}
