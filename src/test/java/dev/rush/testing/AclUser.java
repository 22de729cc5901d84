package dev.rush.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The service's Redis user as defined in {@code k8s/redis/config/users.acl}, so that tests run with
 * exactly the rights that the manifests grant.
 */
public final class AclUser {
    public static final String NAME = "rush";
    public static final String PASSWORD = "units";
    private static final Path FILE = Path.of("k8s/redis/config/users.acl");

    private AclUser() {
    }

    private static List<String> words() {
        return Sources.text(FILE).lines().filter(line -> line.startsWith("user " + NAME + " "))
                .flatMap(line -> Arrays.stream(line.strip().split(" ")).skip(2)).toList();
    }

    /** Returns the commands that it may send, in lower case, subcommands as {@code a|b}. */
    public static Set<String> commands() {
        return words().stream().filter(word -> word.startsWith("+"))
                .map(word -> word.substring(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Creates the user on a connection's node; the connection keeps all rights. */
    public static void create(Resp admin) {
        List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", NAME, "reset"));
        command.addAll(words());
        command.add(">" + PASSWORD);
        admin.command(command.toArray(String[]::new));
        admin.command("ACL", "LOG", "RESET");
    }

    /** Returns the properties of a pod that connects as this user, spelled as in the manifests. */
    public static Map<String, String> config(String hosts) {
        return Map.of("quarkus.redis.hosts", hosts.replace("redis://", "redis://" + NAME + "@"),
                "quarkus.redis.password", PASSWORD);
    }
}
