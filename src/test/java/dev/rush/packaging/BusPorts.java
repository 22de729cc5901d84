package dev.rush.packaging;

import dev.rush.dev.Ports;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.stream.IntStream;

/** Ports for Redis Cluster nodes, whose bus listens 10,000 above the client port. */
final class BusPorts {

    private BusPorts() {
    }

    /** Returns a port that is free together with its bus port. */
    static int free() {
        return IntStream.generate(Ports::free).limit(20)
                .filter(port -> free(port) && free(port + 10_000))
                .findFirst().orElseThrow();
    }

    private static boolean free(int port) {
        try (ServerSocket probe = new ServerSocket(port)) {
            return probe.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
