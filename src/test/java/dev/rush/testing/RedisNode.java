package dev.rush.testing;

import dev.rush.dev.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A node of a {@link RedisClusterNodes}: its process, and its view of itself. */
public final class RedisNode {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(3);

    private final String id;
    private final EmbeddedRedis server;
    private final int busPort;

    RedisNode(EmbeddedRedis server, int busPort) {
        this.server = server;
        this.busPort = busPort;
        try (Resp resp = connect()) {
            id = resp.text("CLUSTER", "MYID");
        }
    }

    /** The first and the last slot of a range. */
    public record Range(int first, int last) {
        /** Returns whether the slot lies in this range. */
        public boolean contains(int slot) {
            return first <= slot && slot <= last;
        }
    }

    /**
     * A node's view of itself.
     *
     * @param masterId id of its master; {@code "-"} for a master
     * @param epoch the configuration epoch; of two nodes that claim a slot, the one with the higher
     *              epoch owns it
     * @param slots none for a replica
     */
    public record View(boolean master, String masterId, long epoch, List<Range> slots) {
        /** Returns whether the node claims the slot. */
        public boolean owns(int slot) {
            return master && slots.stream().anyMatch(range -> range.contains(slot));
        }
    }

    /** Returns the id of the node within its cluster. */
    public String id() {
        return id;
    }

    /** Returns the process, which can be killed, paused and restarted. */
    public EmbeddedRedis server() {
        return server;
    }

    /** Returns the port for clients. */
    public int port() {
        return server.port();
    }

    /** Returns the port on which other nodes reach it. */
    public int busPort() {
        return busPort;
    }

    /** Opens a connection with plenty of time for each reply; the caller closes it. */
    public Resp resp() {
        return Resp.connect(port());
    }

    /** Sends one command on a connection of its own, with three seconds for the reply. */
    public Object command(String... words) {
        try (Resp resp = connect()) {
            return resp.command(words);
        }
    }

    /** Returns the node's view of itself; throws if it is silent for three seconds. */
    public View view() {
        String myself = ((String) command("CLUSTER", "NODES")).lines()
                .filter(line -> line.contains("myself")).findFirst().orElseThrow();
        String[] words = myself.split(" ");
        List<Range> slots = new ArrayList<>();
        for (int i = 8; i < words.length; i++) {
            if (!words[i].startsWith("[")) { // Otherwise a slot that is being migrated.
                String[] ends = words[i].split("-");
                slots.add(new Range(
                        Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1])));
            }
        }
        return new View(words[2].contains("master"), words[3], Long.parseLong(words[6]), slots);
    }

    /** Returns the fields of {@code INFO replication}. */
    public Map<String, String> replication() {
        return fields((String) command("INFO", "replication"));
    }

    /** Returns the fields of {@code CLUSTER INFO}. */
    public Map<String, String> clusterInfo() {
        return fields((String) command("CLUSTER", "INFO"));
    }

    @Override
    public String toString() {
        return server.toString();
    }

    private Resp connect() {
        return Resp.connect(port(), ANSWER_LIMIT);
    }

    private static Map<String, String> fields(String info) {
        Map<String, String> fields = new HashMap<>();
        info.lines().filter(line -> line.contains(":")).forEach(line -> fields.put(
                line.substring(0, line.indexOf(':')), line.substring(line.indexOf(':') + 1)));
        return fields;
    }
}
