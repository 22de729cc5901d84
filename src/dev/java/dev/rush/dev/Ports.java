package dev.rush.dev;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports of the loopback interface, each handed out once. Test JVMs that run in parallel
 * ({@code rush.fork}, from 1) have separate ranges.
 *
 * <p>They lie below the range from which systems take ports for outgoing connections. A server that
 * is down for a while would otherwise lose its port to any client, even to one that tries to reach
 * it and then talks to itself.
 */
public final class Ports {
    private static final int FORKS_MAX = 4;
    private static final int FORK = Integer.getInteger("rush.fork", 0);
    private static final int FIRST = FORK == 0 ? 15_000 : 15_000 + (FORK - 1) % FORKS_MAX * 4_250;
    private static final int END = FORK == 0 ? 32_000 : FIRST + 4_250;
    private static final int TRIES = 200;
    private static final Set<Integer> HANDED_OUT = ConcurrentHashMap.newKeySet();

    private Ports() {
    }

    /** Returns a port on which nothing listens. */
    public static int free() {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (bindable(port) && HANDED_OUT.add(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port between " + FIRST + " and " + END);
    }

    private static boolean bindable(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
