package dev.rush.bench.footprint;

import dev.rush.bench.throughput.Service;
import dev.rush.bench.wire.HttpAnswer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A buyer who tries to buy from the start of a service until it sells. */
final class FirstPurchase {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final Duration PAUSE = Duration.ofMillis(1);
    private static final String BODY = "{\"items\":[{\"sku\":\"unit\",\"quantity\":1}]}";

    private FirstPurchase() {
    }

    /** Returns the milliseconds from an instant, in nanoTime, to the first accepted purchase. */
    static double millis(long sinceNanos, Service service, String sale, String user) {
        byte[] request = ("POST /v1/sales/" + sale + "/purchases HTTP/1.1\r\nHost: localhost"
                + "\r\nConnection: close\r\nX-User-Id: " + user
                + "\r\nContent-Type: application/json\r\nContent-Length: " + BODY.length()
                + "\r\n\r\n" + BODY).getBytes(StandardCharsets.US_ASCII);
        int port = URI.create(service.url()).getPort();
        while (service.alive() && System.nanoTime() - sinceNanos < LIMIT.toNanos()) {
            if (accepted(port, request)) {
                return (System.nanoTime() - sinceNanos) / 1e6;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        throw new IllegalStateException("nothing was sold to " + user + " at " + service.url());
    }

    private static boolean accepted(int port, byte[] request) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            socket.setSoTimeout((int) LIMIT.toMillis());
            socket.getOutputStream().write(request);
            return HttpAnswer.read(socket.getInputStream()).word().equals("accepted");
        } catch (IOException e) {
            return false;
        }
    }
}
