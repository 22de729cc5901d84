package dev.rush.packaging;

import static dev.rush.packaging.Packaging.name;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The cluster and what the service knows of it. */
final class RedisRules {

    private static final Map<String, String> CONFIG = Map.of(
            "cluster-enabled", "yes",
            "cluster-require-full-coverage", "no",
            "appendonly", "yes",
            "maxmemory-policy", "noeviction");

    private static final List<String> ANNOUNCED = List.of(
            "--cluster-announce-ip \"$POD_IP\"", "--cluster-announce-hostname \"$POD_NAME.");

    private static final String NODES_CONF = "k8s/redis/config/redis.conf";

    private RedisRules() {
    }

    /** The names by which the nodes announce themselves. */
    static List<String> hosts(Packaging packaging) {
        JsonNode set = packaging.get("StatefulSet", "redis");
        return IntStream.range(0, set.at("/spec/replicas").asInt())
                .mapToObj(i -> name(set) + "-" + i + "." + set.at("/spec/serviceName").asText())
                .toList();
    }

    /** The hosts that the service and scripts begin with are the pods of the StatefulSet, all. */
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
                    pod.id() + " begins with other hosts than " + expected);
            variables.forEach((name, value) -> findings.demand(
                    !Pod.image(pod.main()).equals("redis")
                            || Pod.env(pod.main(), name).filter(value::equals).isPresent(),
                    pod.id() + " needs " + name + "=" + value));
        }
        findings.demand(packaging.file("k8s/redis/scripts/lib.sh").contains("echo \""
                + nodes.get(0).replaceFirst("-0[.].*", "-\\$number.\\$REDIS_SERVICE\"")),
                "lib.sh knows other names than " + nodes);
    }

    /** Nodes announce where they are, keep what they were told, and outlive a dead shard. */
    static void config(Packaging packaging, Findings findings) {
        CONFIG.forEach((key, value) -> findings.demand(
                packaging.file(NODES_CONF).lines().filter(line -> line.startsWith(key + " "))
                        .reduce("", (before, last) -> last).equals(key + " " + value),
                "redis.conf lacks " + key + " " + value));
        ANNOUNCED.forEach(option -> findings.demand(
                packaging.file("k8s/redis/scripts/start.sh").contains(option),
                "start.sh lacks " + option));
        findings.demand(packaging.get("Service", "redis")
                .at("/spec/publishNotReadyAddresses").asBoolean(), "pods that start are hidden");
        findings.demand(packaging.get("StatefulSet", "redis").at("/spec/podManagementPolicy")
                .asText().equals("Parallel"), "pods start one by one, and so form no cluster");
        findings.demand(packaging.setting("quarkus.redis.health.enabled").filter("false"::equals)
                .isPresent(), "a dead Redis master takes every pod out of rotation");
    }

    /** What a script gets mounted is what the folder holds, and the container runs one of them. */
    static void scripts(Packaging packaging, Findings findings) {
        List<String> mounted = packaging.all("ConfigMap")
                .filter(map -> name(map).startsWith("redis-scripts"))
                .flatMap(map -> Packaging.names(map.path("data")))
                .map(name -> "k8s/redis/scripts/" + name).sorted().toList();
        findings.demand(mounted.equals(packaging.paths("k8s/redis/scripts/", "").toList()),
                "the pods get other scripts than the folder has");
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
