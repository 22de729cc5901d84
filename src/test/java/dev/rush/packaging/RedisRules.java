package dev.rush.packaging;

import static dev.rush.packaging.Packaging.id;
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

    /** The hosts that the service and scripts begin with are the pods of the StatefulSet, all. */
    static Stream<String> seeds(Packaging packaging) {
        JsonNode set = packaging.get("StatefulSet", "redis");
        int nodes = set.at("/spec/replicas").asInt();
        String service = set.at("/spec/serviceName").asText();
        String expected = IntStream.range(0, nodes)
                .mapToObj(i -> "redis://rush@" + name(set) + "-" + i + "." + service + ":6379")
                .collect(Collectors.joining(","));
        Stream<String> hosts = packaging.servicePods().stream()
                .filter(pod -> !expected.equals(Settings.environment(packaging, pod.main())
                        .getOrDefault("QUARKUS_REDIS_HOSTS", "")
                        .replace("rediss://", "redis://")))
                .map(pod -> pod.id() + " begins with other hosts than " + expected);
        Map<String, String> variables =
                Map.of("REDIS_NODES", String.valueOf(nodes), "REDIS_SERVICE", service);
        Stream<String> scripts = packaging.pods().stream()
                .filter(pod -> Pod.image(pod.main()).equals("redis"))
                .flatMap(pod -> variables.entrySet().stream()
                        .filter(v -> Pod.env(pod.main(), v.getKey())
                                .filter(v.getValue()::equals).isEmpty())
                        .map(v -> pod.id() + " needs " + v));
        Stream<String> names = Stream.of("echo \"" + name(set) + "-$number.$REDIS_SERVICE\"")
                .filter(peer -> !packaging.file("k8s/redis/scripts/lib.sh").contains(peer))
                .map(peer -> "lib.sh lacks " + peer);
        return Stream.of(hosts, scripts, names).flatMap(findings -> findings);
    }

    /** Nodes announce where they are, keep what they were told, and outlive a dead shard. */
    static Stream<String> config(Packaging packaging) {
        Stream<String> config = CONFIG.entrySet().stream()
                .filter(e -> !packaging.file(NODES_CONF).lines()
                        .filter(line -> line.startsWith(e.getKey() + " "))
                        .reduce("", (before, last) -> last)
                        .equals(e.getKey() + " " + e.getValue()))
                .map(e -> "redis.conf lacks " + e.getKey() + " " + e.getValue());
        Stream<String> announced = ANNOUNCED.stream()
                .filter(option -> !packaging.file("k8s/redis/scripts/start.sh").contains(option))
                .map(option -> "start.sh lacks " + option);
        Stream<String> names = packaging.all("Service")
                .filter(service -> name(service).equals("redis"))
                .filter(service -> !service.at("/spec/publishNotReadyAddresses").asBoolean())
                .map(service -> id(service) + " hides pods that are not ready");
        Stream<String> together = packaging.all("StatefulSet")
                .filter(set -> name(set).equals("redis"))
                .filter(set -> !set.at("/spec/podManagementPolicy").asText().equals("Parallel"))
                .map(set -> id(set) + " starts one by one, and so never forms a cluster");
        Stream<String> health = packaging.setting("quarkus.redis.health.enabled")
                .filter("false"::equals).isPresent()
                ? Stream.empty()
                : Stream.of("a dead Redis master takes every pod out of rotation");
        return Stream.of(config, announced, names, together, health).flatMap(findings -> findings);
    }

    /** What a script gets mounted is what the folder holds, and the container runs one of them. */
    static Stream<String> scripts(Packaging packaging) {
        List<String> mounted = packaging.all("ConfigMap")
                .filter(map -> name(map).startsWith("redis-scripts"))
                .flatMap(map -> Packaging.names(map.path("data")))
                .map(name -> "k8s/redis/scripts/" + name).sorted().toList();
        Stream<String> run = packaging.pods().stream()
                .filter(pod -> Pod.image(pod.main()).equals("redis"))
                .flatMap(pod -> Stream.of("/command/1", "/readinessProbe/exec/command/1",
                                "/livenessProbe/exec/command/1", "/startupProbe/exec/command/1",
                                "/lifecycle/preStop/exec/command/1")
                        .map(pointer -> pod.main().at(pointer).asText())
                        .filter(path -> path.startsWith("/"))
                        .map(path -> "k8s" + path.substring("/etc".length()))
                        .filter(path -> !mounted.contains(path))
                        .map(path -> pod.id() + " runs " + path + ", which is not mounted"));
        boolean same = mounted.equals(packaging.paths("k8s/redis/scripts/", "").toList());
        return Stream.concat(run, same
                ? Stream.empty()
                : Stream.of("the pods get other scripts than the folder has"));
    }
}
