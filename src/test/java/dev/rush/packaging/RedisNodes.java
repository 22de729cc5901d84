package dev.rush.packaging;

import dev.rush.testing.Command;
import dev.rush.testing.Resp;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Asks the Redis nodes of {@link RedisPods}, by address. */
final class RedisNodes {
    static final String PASSWORD = "apple";
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);

    private final int port;
    private final @Nullable Path certificates;

    /** Asks over TLS if there are certificates. */
    RedisNodes(int port, @Nullable Path certificates) {
        this.port = port;
        this.certificates = certificates;
    }

    /** Returns a node's answer as redis-cli prints it; empty if it gives none. */
    String ask(String address, String... command) {
        if (certificates == null) {
            return askInProcess(address, command);
        }
        Command ended = Command.attempt(Map.of("REDISCLI_AUTH", PASSWORD), Stream.concat(
                Stream.of("redis-cli", "-h", address, "-p", String.valueOf(port), "--tls",
                        "--cacert", certificates.resolve("ca.crt").toString()),
                Stream.of(command)).toArray(String[]::new));
        return ended.status() == 0 ? ended.output().strip() : "";
    }

    /** Returns the answer of the node that owns the command's key, which any node names. */
    String askOwner(String address, String... command) {
        String answer = ask(address, command);
        return answer.startsWith("MOVED ")
                ? ask(answer.split(" ")[2].replaceFirst(":\\d+$", ""), command) : answer;
    }

    /** Tests ask too often to start a process for each answer. */
    private String askInProcess(String address, String... command) {
        try (Resp node = Resp.connect(address, port, ANSWER_LIMIT)) {
            node.command("auth", PASSWORD);
            return lines(node.command(command)).collect(Collectors.joining("\n")).strip();
        } catch (Resp.ErrorReply e) {
            return e.getMessage();
        } catch (UncheckedIOException e) {
            return "";
        }
    }

    private static Stream<String> lines(Object reply) {
        return reply instanceof List<?> replies ? replies.stream().flatMap(RedisNodes::lines)
                : Stream.of(reply == null ? "" : reply.toString().replace("\r", ""));
    }
}
