package dev.rush.packaging;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The StatefulSet's six pods as processes of this machine, started by the pods' own scripts. Each
 * has a name that leads to its present address (a file stands for the cluster's DNS) and a folder
 * that outlives it. Every address of 127.0.0.0/8 is this machine, so a pod may get a new one.
 */
final class RedisPods implements AutoCloseable {
    static final int NODES = 6;
    private static final Path SCRIPTS = Path.of("k8s/redis/scripts").toAbsolutePath();

    private final Path folder;
    private final int port;
    private final Map<String, String> addresses = new HashMap<>();
    private final Map<String, Process> processes = new HashMap<>();
    private int nextAddress = 1;
    private final Path certificates;
    private int healSeconds = 1;

    private RedisPods(Path folder, Path certificates) throws IOException {
        this.folder = folder;
        this.certificates = certificates;
        this.port = BusPorts.free();
        Files.writeString(folder.resolve("password"), "apple");
        Files.writeString(folder.resolve("rush-password"), "pear");
        // What the scripts ask for the address of a name; a line of the file is "address name".
        Path getent = folder.resolve("bin/getent");
        Files.createDirectories(getent.getParent());
        Files.writeString(getent, "#!/bin/sh\ngrep \" $2\\$\" " + folder.resolve("hosts") + "\n");
        getent.toFile().setExecutable(true);
    }

    /** Six running pods that do not yet know each other. */
    static RedisPods start(Path folder) {
        return start(folder, null);
    }

    /** The same with TLS, by the files that a Secret would hold. */
    static RedisPods start(Path folder, Path certificates) {
        assumeTrue(Command.present("redis-server") && Command.present("redis-cli"),
                "redis-server and redis-cli are not both on PATH: the pods' scripts are not tried");
        try {
            RedisPods pods = new RedisPods(folder, certificates);
            names().forEach(pods::moveAndStart);
            return pods;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> names() {
        return IntStream.range(0, NODES).mapToObj(i -> "redis-" + i).toList();
    }

    /** Pods that start from now on do not look for peers that moved. */
    void leaveAlone() {
        healSeconds = 3600;
    }

    void heal() {
        healSeconds = 1;
    }

    /** Pods that start from now on look for peers that moved when they have long heard of them. */
    void healLate() {
        healSeconds = 10;
    }

    /** Gives a pod that is not running a new address, and starts it. */
    void moveAndStart(String pod) {
        // Far from 127.0.0.1, where other programs listen.
        addresses.put(pod, "127.77.0." + nextAddress++);
        publish(addresses);
        start(pod);
    }

    void start(String pod) {
        Path log = folder.resolve(pod + ".log");
        Path data = folder.resolve(pod);
        try {
            Files.createDirectories(data);
            String script = SCRIPTS.resolve("start.sh").toString();
            List<String> command = new ArrayList<>(List.of("sh", script,
                    "--bind", address(pod), "--cluster-node-timeout", "2000"));
            if (certificates == null) {
                command.addAll(List.of("--port", String.valueOf(port)));
            }
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            builder.environment().putAll(environment(pod));
            processes.put(pod, builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Await.until(pod + " answers", Duration.ofSeconds(60), () -> !cli(pod, "ping").isEmpty());
    }

    /** SIGTERM to all of these pods, as the kubelet sends it after the preStop script. */
    void stop(List<String> pods) {
        List<Process> stopped = pods.stream().map(processes::remove).toList();
        stopped.forEach(PodProcess::endLoop);
        stopped.forEach(Process::destroy);
        stopped.forEach(PodProcess::awaitEnd);
    }

    boolean runs(String pod) {
        return processes.get(pod).isAlive();
    }

    /** STOP freezes a pod's Redis, whose connections stay open; CONT lets it go on. */
    void signal(String pod, String signal) {
        Command.run("kill", "-" + signal, String.valueOf(processes.get(pod).pid()));
    }

    void loseDisk(String pod) {
        try (Stream<Path> files = Files.walk(folder.resolve(pod))) {
            files.filter(Files::isRegularFile).forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs one of the scripts as the kubelet would, in the pod's environment. */
    Command script(String name, String pod) {
        return script(name, pod, Map.of());
    }

    /** The same, with settings of the script that differ from those of the pod. */
    Command script(String name, String pod, Map<String, String> settings) {
        Map<String, String> environment = new HashMap<>(environment(pod));
        environment.putAll(settings);
        return Command.attempt(environment, "sh", SCRIPTS.resolve(name).toString());
    }

    Command create() {
        return script("create.sh", "redis-0");
    }

    boolean ready(String pod) {
        return script("ready.sh", pod).status() == 0;
    }

    /** The ids by which a pod's node knows the nodes of the cluster, dead ones included. */
    Set<String> ids(String pod) {
        return cli(pod, "cluster", "nodes").lines()
                .filter(line -> !line.isBlank())
                .map(line -> line.split(" ")[0])
                .collect(Collectors.toSet());
    }

    /** Lets the names of these pods lead nowhere, those of the others where they are. */
    void hide(List<String> pods) {
        Map<String, String> rest = new HashMap<>(addresses);
        pods.forEach(rest::remove);
        publish(rest);
    }

    /** Lets every name lead to where its pod is. */
    void showAll() {
        publish(addresses);
    }

    /** Waits until the kubelet would call every pod ready. */
    void awaitReady(Duration limit) {
        Await.until("all pods are ready", limit, () -> names().stream().allMatch(this::ready),
                () -> cli("redis-0", "cluster", "nodes"));
    }

    /** The answer of one pod's node; empty if there is none. */
    String cli(String pod, String... command) {
        return cliAt(address(pod), command);
    }

    String role(String pod) {
        return cli(pod, "role").lines().findFirst().orElse("");
    }

    /** The pod of which a pod is the replica. */
    String masterOf(String replica) {
        String address = cli(replica, "role").lines().skip(1).findFirst().orElseThrow();
        return names().stream().filter(pod -> address(pod).equals(address)).findFirst()
                .orElseThrow();
    }

    /** The addresses by which a pod's node knows the nodes that it can reach. */
    Set<String> known(String pod) {
        return cli(pod, "cluster", "nodes").lines()
                .filter(line -> line.contains(" connected") && !line.contains("fail"))
                .map(line -> line.split(" ")[1].split(":")[0])
                .collect(Collectors.toSet());
    }

    /** Whether a pod's node has found that another one does not answer. */
    boolean misses(String pod, String other) {
        return cli(pod, "cluster", "nodes").lines()
                .map(line -> line.split(" "))
                .anyMatch(words -> words[1].startsWith(address(other) + ":")
                        && words[2].contains("fail"));
    }

    Set<String> addresses() {
        return Set.copyOf(addresses.values());
    }

    void write(int keys) {
        for (int i = 0; i < keys; i++) {
            String reply = cli("redis-0", "-c", "set", "key" + i, "value" + i);
            if (!reply.equals("OK")) {
                throw new AssertionError("key" + i + ": " + reply);
            }
        }
    }

    /** How many of the keys that were written still have their value. */
    long readable(int keys) {
        return readable(keys, "redis-0");
    }

    long readable(int keys, String through) {
        return IntStream.range(0, keys)
                .filter(i -> cli(through, "-c", "get", "key" + i).equals("value" + i))
                .count();
    }

    int port() {
        return port;
    }

    /** Lets the name of a pod lead somewhere else, while the pod itself stays where it is. */
    void mislead(String pod, String other) {
        Map<String, String> wrong = new HashMap<>(addresses);
        wrong.put(pod, address(other));
        publish(wrong);
    }

    @Override
    public void close() {
        processes.values().forEach(PodProcess::endLoop);
        processes.values().forEach(Process::destroyForcibly);
        processes.values().forEach(PodProcess::awaitEnd);
    }

    private String cliAt(String address, String... command) {
        Stream<String> tls = certificates == null ? Stream.empty()
                : Stream.of("--tls", "--cacert", certificates.resolve("ca.crt").toString());
        String[] words = Stream.of(
                Stream.of("redis-cli", "-h", address, "-p", String.valueOf(port)), tls,
                Stream.of(command)).flatMap(w -> w).toArray(String[]::new);
        Command ended = Command.attempt(Map.of("REDISCLI_AUTH", "apple"), words);
        return ended.status() == 0 ? ended.output().strip() : "";
    }

    private void publish(Map<String, String> hosts) {
        Kustomize.write(folder.resolve("hosts"), hosts.entrySet().stream()
                .map(host -> host.getValue() + " " + host.getKey() + ".redis\n")
                .collect(Collectors.joining()));
    }

    /** Where a pod is at present. */
    String address(String pod) {
        return addresses.get(pod);
    }

    private Map<String, String> environment(String pod) {
        return Map.ofEntries(
                Map.entry("PATH", folder.resolve("bin") + ":" + System.getenv("PATH")),
                Map.entry("POD_NAME", pod),
                Map.entry("POD_IP", address(pod)),
                Map.entry("REDIS_SERVICE", "redis"),
                Map.entry("REDIS_NODES", String.valueOf(NODES)),
                Map.entry("REDIS_MAXMEMORY", "64mb"),
                Map.entry("REDIS_PORT", String.valueOf(port)),
                Map.entry("REDIS_AUTH", folder.resolve("password").toString()),
                Map.entry("REDIS_CONF", SCRIPTS.resolve("../config/redis.conf").toString()),
                Map.entry("REDIS_DATA", folder.resolve(pod).toString()),
                Map.entry("REDIS_TMP", folder.resolve(pod).toString()),
                Map.entry("REDIS_HEAL_SECONDS", String.valueOf(healSeconds)),
                Map.entry("REDIS_TLS", certificates == null ? "" : certificates.toString()),
                Map.entry("REDIS_CREATE_SECONDS", "120"));
    }
}
