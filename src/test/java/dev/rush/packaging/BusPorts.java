package dev.rush.packaging;

import dev.rush.dev.Ports;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.stream.IntStream;

/** Ports for a node of a Redis Cluster, whose bus listens 10,000 above. */
final class BusPorts {

    private BusPorts() {
    }

    /** A port that is free, as is that of its bus. */
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
