package dev.rush.packaging;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.dev.Ports;
import dev.rush.testing.Await;
import dev.rush.testing.ChildProcess;
import dev.rush.testing.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
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
 * The StatefulSet's six pods as local processes, started by the pods' own scripts. Each has a name
 * that resolves to its current address (a file stands in for DNS) and a data folder that outlives
 * it. A pod can get a new address, because all of 127.0.0.0/8 is this machine.
 */
final class RedisPods implements AutoCloseable {
    static final int NODES = 6;
    /** More often, six loops of shell scripts would slow down all tests beside this one. */
    private static final int HEAL_SECONDS = 3;
    private static final Path SCRIPTS = Path.of("k8s/redis/scripts").toAbsolutePath();

    private final Path folder;
    private final int port = Ports.free();
    private final RedisNodes nodes;
    private final Map<String, String> addresses = new HashMap<>();
    private final Map<String, ChildProcess> processes = new HashMap<>();
    private int nextAddress = 1;
    private final Path certificates;
    private int healSeconds = HEAL_SECONDS;

    private RedisPods(Path folder, Path certificates) throws IOException {
        this.folder = folder;
        this.certificates = certificates;
        nodes = new RedisNodes(port, certificates);
        Files.writeString(folder.resolve("password"), RedisNodes.PASSWORD);
        Files.writeString(folder.resolve("rush-password"), "pear");
        // The scripts resolve names with getent, which prints the full names of those found, in
        // the order asked for. Each line of the hosts file is "address name".
        Path getent = folder.resolve("bin/getent");
        Files.createDirectories(getent.getParent());
        Files.writeString(getent, """
                #!/bin/sh
                awk -v names="$*" '
                    { found[$2] = sprintf("%%-15s %%s.rush.svc.cluster.local", $1, $2) }
                    END { for (i = split(names, asked, " "); i > 1; i--) order[i] = asked[i]
                        for (i = 2; i in order; i++) if (order[i] in found) print found[order[i]] }
                    ' %s
                """.formatted(folder.resolve("hosts")));
        getent.toFile().setExecutable(true);
    }

    /** Starts six pods that do not know each other yet. */
    static RedisPods start(Path folder) {
        return start(folder, null);
    }

    /** Starts six pods with TLS and the certificates in a folder; null: without TLS. */
    static RedisPods start(Path folder, Path certificates) {
        assumeTrue(Command.isInstalled("redis-server") && Command.isInstalled("redis-cli"),
                "redis-server or redis-cli is not on PATH: redis.conf and scripts are not tested");
        try {
            RedisPods pods = new RedisPods(folder, certificates);
            names().forEach(pods::startAtNewAddress);
            return pods;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> names() {
        return IntStream.range(0, NODES).mapToObj(i -> "redis-" + i).toList();
    }

    /** Pods started from now on do not heal. */
    void disableHealing() {
        healSeconds = 3600;
    }

    /** Pods started from now on heal. */
    void enableHealing() {
        healSeconds = HEAL_SECONDS;
    }

    /** Pods started from now on heal only after gossip has told them of peers that moved. */
    void delayHealing() {
        healSeconds = 10;
    }

    /** Starts a pod at a new address. */
    void startAtNewAddress(String pod) {
        // Not 127.0.0.1, where other programs listen.
        addresses.put(pod, "127.77.0." + nextAddress++);
        publish(addresses);
        start(pod);
    }

    void start(String pod) {
        folder.resolve(pod).toFile().mkdir();
        List<String> command = new ArrayList<>(List.of("sh", SCRIPTS.resolve("start.sh").toString(),
                "--bind", address(pod), "--cluster-node-timeout", "2000"));
        if (certificates == null) {
            command.addAll(List.of("--port", String.valueOf(port)));
        }
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(folder.resolve(pod + ".log").toFile()));
        builder.environment().putAll(environment(pod));
        processes.put(pod, new ChildProcess(builder));
        Await.until(pod + " answers", Duration.ofSeconds(60), () -> !cli(pod, "ping").isEmpty());
    }

    /** Sends SIGTERM, as the kubelet does after the preStop script, and waits for the exit. */
    void stop(List<String> pods) {
        List<ChildProcess> stopped = pods.stream().map(processes::remove).toList();
        stopped.forEach(ChildProcess::stop);
        stopped.forEach(ChildProcess::awaitExit);
    }

    boolean isRunning(String pod) {
        return processes.get(pod).isAlive();
    }

    /** Sends a signal to a pod's Redis. STOP freezes it, and keeps its connections open. */
    void signal(String pod, String signal) {
        processes.get(pod).signal(signal);
    }

    void wipeDisk(String pod) {
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

    /** Runs one of the scripts, with settings that override those of the pod. */
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

    /** Returns the ids of all nodes that a pod's node knows, including dead ones. */
    Set<String> nodeIds(String pod) {
        return cli(pod, "cluster", "nodes").lines()
                .filter(line -> !line.isBlank())
                .map(line -> line.split(" ")[0])
                .collect(Collectors.toSet());
    }

    /** Makes the names of these pods, and only of these, unresolvable. */
    void hideNames(List<String> pods) {
        Map<String, String> visible = new HashMap<>(addresses);
        pods.forEach(visible::remove);
        publish(visible);
    }

    /** Makes every name resolve to its pod. */
    void restoreNames() {
        publish(addresses);
    }

    /** Waits until the readiness probe of every pod succeeds. */
    void awaitReady(Duration limit) {
        Await.until("all pods are ready", limit, () -> names().stream().allMatch(this::ready),
                () -> cli("redis-0", "cluster", "nodes"));
    }

    /** Returns the answer of a pod's node, as redis-cli prints it; empty if it gives none. */
    String cli(String pod, String... command) {
        return nodes.ask(address(pod), command);
    }

    String role(String pod) {
        return cli(pod, "role").lines().findFirst().orElse("");
    }

    /** Returns the pod that holds the master of a replica. */
    String masterOf(String replica) {
        String address = cli(replica, "role").lines().skip(1).findFirst().orElseThrow();
        return names().stream().filter(pod -> address(pod).equals(address)).findFirst()
                .orElseThrow();
    }

    /** Returns the addresses of the nodes to which a pod's node is connected, with its own. */
    Set<String> connected(String pod) {
        return cli(pod, "cluster", "nodes").lines()
                .filter(line -> line.contains(" connected") && !line.contains("fail"))
                .map(line -> line.split(" ")[1].split(":")[0])
                .collect(Collectors.toSet());
    }

    /** Whether a pod's node considers another one failed, or possibly failed. */
    boolean seesFailed(String pod, String other) {
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
            String reply = nodes.askOwner(address("redis-0"), "set", "key" + i, "value" + i);
            if (!reply.equals("OK")) {
                throw new AssertionError("key" + i + ": " + reply);
            }
        }
    }

    /** Returns how many of the written keys still have their value. */
    long countReadable(int keys) {
        return countReadable(keys, "redis-0");
    }

    long countReadable(int keys, String through) {
        return IntStream.range(0, keys)
                .filter(i -> nodes.askOwner(address(through), "get", "key" + i).equals("value" + i))
                .count();
    }

    int port() {
        return port;
    }

    /** Makes the name of a pod resolve to the address of another one. */
    void misdirectName(String pod, String other) {
        Map<String, String> wrong = new HashMap<>(addresses);
        wrong.put(pod, address(other));
        publish(wrong);
    }

    @Override
    public void close() {
        processes.values().forEach(ChildProcess::kill);
        processes.values().forEach(ChildProcess::awaitExit);
    }

    private void publish(Map<String, String> hosts) {
        Kustomize.write(folder.resolve("hosts"), hosts.entrySet().stream()
                .map(host -> host.getValue() + " " + host.getKey() + ".redis\n")
                .collect(Collectors.joining()));
    }

    /** Returns the current address of a pod. */
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
